{
  const way = document.getElementById('return');
  const { origin, message } = way.dataset;
  const { opener } = window;
  if (origin && opener && !opener.closed) {
    // Browsers deliver it only to this origin.
    opener.postMessage(JSON.parse(message), origin);
    // Closes after delivery: a message from a closed window has no source.
    setTimeout(() => window.close(), 250);
  } else if (origin) {
    location.replace(way.href);
  }
}
