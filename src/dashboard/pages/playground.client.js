// The flow runs in a window of its own, where the browser opens one; this page is loaded anew once it has ended.
{
  const NAME = 'kalends-playground';
  const channel = new BroadcastChannel(NAME);
  for (const content of document.querySelectorAll('[data-popup]')) {
    const form = content.closest('form');
    form.addEventListener('submit', () => {
      // The new window gets a copy of this: providers' pages cut the two apart, so that it knows nothing else of us.
      sessionStorage.setItem(NAME, 'popup');
      form.target = window.open('', NAME, 'popup,width=480,height=760') ? NAME : '';
      sessionStorage.removeItem(NAME);
      if (form.target === '') return;
      channel.onmessage = ({ data }) => location.assign(location.pathname + data);
      // It can be opened again: whoever closes that window has not finished.
      setTimeout(() => delete form.dataset.sent);
    });
  }
  if (location.search.startsWith('?done=') && sessionStorage.getItem(NAME) === 'popup') {
    channel.postMessage(location.search);
    window.close();
  }
}
