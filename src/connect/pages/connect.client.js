{
  const root = document.documentElement;
  const say = (text) => {
    document.getElementById('said').textContent = text;
  };

  // A form is sent once. Its button shows progress.
  const resume = () => {
    for (const button of document.querySelectorAll('[aria-busy]')) {
      button.removeAttribute('aria-busy');
      button.removeAttribute('aria-disabled');
      button.querySelector('.wait')?.remove();
    }
    say('');
  };
  document.addEventListener('submit', (event) => {
    const button = event.submitter;
    if (event.defaultPrevented || !button) return;
    if (button.name === 'theme') {
      event.preventDefault();
      choose(button.value);
      return;
    }
    if (document.querySelector('[aria-busy]')) {
      event.preventDefault();
      return;
    }
    button.setAttribute('aria-busy', 'true');
    button.setAttribute('aria-disabled', 'true');
    for (const input of document.querySelectorAll('#password')) input.type = 'password';
    // Changing the language also submits the form, but takes no time.
    const workingText = button.formNoValidate ? undefined : event.target.dataset.working;
    say(workingText ?? document.body.dataset.working);
    if (workingText) {
      const wait = document.createElement('span');
      wait.className = 'wait';
      wait.ariaHidden = 'true';
      wait.textContent = workingText;
      button.append(wait);
    }
    setTimeout(resume, 30_000);
  });
  // Back can show the page in its former state, and an installed app can open beside it.
  addEventListener('pageshow', (event) => event.persisted && resume());
  document.addEventListener('visibilitychange', resume);

  // The color scheme changes at once and is stored as the server would store it.
  const choose = (theme) => {
    const secure = location.protocol === 'https:' ? ';secure' : '';
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser
    document.cookie = `kalends_theme=${theme};path=/;max-age=31536000;samesite=lax${secure}`;
    root.dataset.theme = theme;
    for (const button of document.querySelectorAll('.themes button')) {
      button.setAttribute('aria-pressed', String(button.value === theme));
    }
    const media = { light: 'not all', dark: 'all', auto: '(prefers-color-scheme: dark)' };
    for (const source of document.querySelectorAll('picture source')) source.media = media[theme];
  };

  // A password is shown on demand, and hidden before it is sent.
  const reveal = document.querySelector('.reveal');
  reveal?.addEventListener('click', () => {
    const input = document.getElementById('password');
    const isShown = input.type === 'password';
    input.type = isShown ? 'text' : 'password';
    reveal.setAttribute('aria-pressed', String(isShown));
    say(isShown ? reveal.dataset.shown : reveal.dataset.hidden);
  });

  for (const menu of document.querySelectorAll('.menu, .options')) {
    addEventListener('click', (event) => {
      if (!menu.contains(event.target)) menu.open = false;
    });
    menu.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || !menu.open) return;
      menu.open = false;
      menu.firstElementChild.focus();
    });
  }

  // Selects the part of an address that only the user knows.
  const unfilled = document.querySelector('[data-fill]');
  if (unfilled) {
    const start = unfilled.value.indexOf(unfilled.dataset.fill);
    unfilled.focus();
    unfilled.setSelectionRange(start, start + unfilled.dataset.fill.length);
  }

  for (const button of document.querySelectorAll('[data-copy]')) {
    if (!navigator.clipboard) break;
    button.hidden = false;
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(button.dataset.copy);
      button.textContent = button.dataset.copied;
      say(button.dataset.copied);
    });
  }

  // Polls the first loading of calendars for up to a minute.
  const list = document.querySelector('[data-progress]');
  const until = Date.now() + 60_000;
  const ask = async () => {
    const answer = await fetch(list.dataset.progress, { headers: { accept: 'application/json' } });
    if (!answer.ok) return;
    const { accounts, done, announcement } = await answer.json();
    for (const { key, kind, text } of accounts) {
      const state = document.getElementById(`state-${key}`);
      if (!state) continue;
      if (state.textContent !== text) state.textContent = text;
      state.className = `state ${kind}`;
    }
    if (done) {
      say(announcement);
      document.getElementById('loading').textContent = announcement;
    } else if (Date.now() < until) setTimeout(ask, 1500);
  };
  // Without a response the page stays as it was rendered.
  if (list) setTimeout(() => ask().catch(() => {}), 1000);

  // A waiting page reloads unless an element has the focus.
  const { goesOn, seconds } = document.body.dataset;
  const goOn = () => {
    if (document.activeElement === document.body) location.replace(goesOn);
    else setTimeout(goOn, 1000);
  };
  if (goesOn) setTimeout(goOn, seconds * 1000);
}
