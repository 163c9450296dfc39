// Opens the flow in a popup window if the browser allows it. This page reloads when the flow has ended.
{
  const NAME = 'kalends-playground';
  const channel = new BroadcastChannel(NAME);
  for (const content of document.querySelectorAll('[data-popup]')) {
    const form = content.closest('form');
    form.addEventListener('submit', () => {
      // The popup gets a copy of this value. Providers' pages cut the link to this window, so it has nothing else.
      sessionStorage.setItem(NAME, 'popup');
      form.target = window.open('', NAME, 'popup,width=480,height=760') ? NAME : '';
      sessionStorage.removeItem(NAME);
      if (form.target === '') return;
      channel.onmessage = ({ data }) => location.assign(location.pathname + data);
      // The form can be sent again: a member may close the popup before finishing.
      setTimeout(() => delete form.dataset.sent);
    });
  }
  if (location.search.startsWith('?done=') && sessionStorage.getItem(NAME) === 'popup') {
    channel.postMessage(location.search);
    window.close();
  }
}
