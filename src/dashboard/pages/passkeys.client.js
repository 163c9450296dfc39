// Each button requests options, lets the browser use a passkey, and sends its form with the response.
const able = Boolean(window.PublicKeyCredential?.parseCreationOptionsFromJSON);
for (const element of document.querySelectorAll('[data-passkeys]')) element.hidden = !able;
for (const element of document.querySelectorAll('[data-no-passkeys]')) element.hidden = able;

async function requestCredential({ passkey: does }, publicKey) {
  if (does === 'create')
    return navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(publicKey),
    });
  return navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(publicKey) });
}

async function ask(button, form) {
  const { path, token, optionsToken } = button.dataset;
  const body = new URLSearchParams(new FormData(form));
  body.delete('password');
  body.set('token', optionsToken);
  const headers = { accept: 'application/json' };
  const answer = await fetch(`${path}/options`, { method: 'POST', headers, body });
  const options = await answer.json();
  if (options.error === 'not_signed_in') return location.reload();
  if (options.error === 'not_fresh')
    return location.assign(`/dashboard/confirm?next=${encodeURIComponent(location.pathname)}`);
  if (!answer.ok) return options.message;
  const credential = await requestCredential(button.dataset, options);
  form.elements.credential.value = JSON.stringify(credential);
  if (form.elements.token) form.elements.token.value = token;
  form.action = path;
  form.submit();
}

for (const button of document.querySelectorAll('button[data-passkey]')) {
  const { form } = button;
  const wrong = button.nextElementSibling;
  button.hidden = !able;
  button.addEventListener('click', async () => {
    const typed = [...form.elements].filter(({ type }) => type !== 'password');
    if (button.dataset.passkey === 'create' && !typed.every((one) => one.reportValidity())) return;
    button.disabled = true;
    wrong.hidden = true;
    const problem = await ask(button, form).catch(() => button.dataset.failed);
    button.disabled = false;
    wrong.textContent = problem ?? '';
    wrong.hidden = !problem;
  });
}
