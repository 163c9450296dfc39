{
  const way = document.getElementById('return');
  const { origin, message } = way.dataset;
  const { opener } = window;
  if (origin && opener && !opener.closed) {
    // The browser gives it to no page of another origin.
    opener.postMessage(JSON.parse(message), origin);
    window.close();
  } else if (origin) {
    location.replace(way.href);
  }
}
