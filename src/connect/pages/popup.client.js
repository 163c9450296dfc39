{
  const way = document.getElementById('return');
  const { origin, message } = way.dataset;
  const { opener } = window;
  if (origin && opener && !opener.closed) {
    // The browser gives it to no page of another origin.
    opener.postMessage(JSON.parse(message), origin);
    // Once it has arrived: a message from a window that is gone has no source.
    setTimeout(() => window.close(), 250);
  } else if (origin) {
    location.replace(way.href);
  }
}
