/** A script whose threads end before they are ready. */
throw new Error('no such file');
