{
  // More than the server keeps; the oldest go.
  const MOST_ROWS = 100;
  const list = document.getElementById('deliveries');
  const announcement = document.getElementById('said');
  const lost = document.getElementById('lost');
  const moves = document.getElementById('moves');

  const source = new EventSource(`/deliveries/stream?after=${list.dataset.last}`);
  source.addEventListener('open', () => {
    lost.hidden = true;
  });
  source.addEventListener('error', () => {
    lost.hidden = false;
  });
  // A row as the server writes it into the page: all text in it is escaped there.
  source.addEventListener('message', ({ data, lastEventId }) => {
    if (document.getElementById(`delivery-${lastEventId}`)) return;
    list.insertAdjacentHTML('afterbegin', data);
    const row = list.firstElementChild;
    row.classList.add('new');
    announcement.textContent = row.querySelector('.head').textContent;
    while (list.children.length > MOST_ROWS) list.lastElementChild.remove();
  });

  // The buttons work without a load, so that the list stays as it was opened.
  let isMoving = false;
  document.addEventListener('submit', async (event) => {
    const { target: form, submitter } = event;
    if (!moves.contains(form) || form.method !== 'post') return;
    event.preventDefault();
    if (isMoving) return;
    isMoving = true;
    try {
      const body = new URLSearchParams(new FormData(form));
      const answer = await fetch(form.action, { method: 'POST', body });
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      const fresh = page.getElementById('moves');
      if (fresh === null) throw new TypeError('The answer is another page');
      moves.replaceChildren(...fresh.childNodes);
      announcement.textContent = moves.querySelector('.notice')?.textContent ?? '';
      document.getElementById(submitter.id)?.focus();
    } catch {
      location.reload();
    } finally {
      isMoving = false;
    }
  });
}
