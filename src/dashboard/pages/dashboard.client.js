// Improves the pages, and nothing needs it: buttons that copy, and forms that are sent once.
for (const button of document.querySelectorAll('button[data-copy]')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    const { textContent } = document.getElementById(button.dataset.copy);
    await navigator.clipboard.writeText(textContent.trim());
    document.getElementById('said').textContent = button.dataset.copied;
    button.textContent = button.dataset.copied;
  });
}
// Instants are read in the reader's own zone; the UTC one stays at hand.
for (const time of document.querySelectorAll('time[datetime]')) {
  const at = new Date(time.dateTime);
  time.title = time.textContent;
  time.textContent = new Intl.DateTimeFormat(document.documentElement.lang, {
    dateStyle: 'medium',
    timeStyle: 'short',
  }).format(at);
}
for (const form of document.querySelectorAll('form[method="post"]'))
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = 'yes';
  });
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[data-sent]')) delete form.dataset.sent;
});
