// The flow runs in a window of its own, where the browser opens one; this page is loaded anew once it has ended.
{
  const NAME = 'kalends-playground';
  const channel = new BroadcastChannel(NAME);
  for (const content of document.querySelectorAll('[data-popup]')) {
    const form = content.closest('form');
    form.addEventListener('submit', () => {
      form.target = window.open('', NAME, 'popup,width=480,height=760') ? NAME : '';
      if (form.target === '') return;
      channel.onmessage = ({ data }) => location.assign(location.pathname + data);
      // It can be opened again: whoever closes that window has not finished.
      setTimeout(() => delete form.dataset.sent);
    });
  }
  if (window.opener && location.search) {
    channel.postMessage(location.search);
    window.close();
  }
}
