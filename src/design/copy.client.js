// Copy buttons: each copies the text of the element with the id in `data-copy`, or of the element before it.
for (const button of document.querySelectorAll('button[data-copy]')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    const source = document.getElementById(button.dataset.copy) ?? button.previousElementSibling;
    await navigator.clipboard.writeText(source.textContent.trim());
    document.getElementById('said').textContent = button.dataset.copied;
    button.textContent = button.dataset.copied;
  });
}
