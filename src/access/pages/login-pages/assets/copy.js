// Copies or prints what is shown only now. The buttons are hidden until this runs.

for (const button of document.querySelectorAll('[data-copies]')) {
  const { copies, copied } = button.dataset
  const source = document.getElementById(copies)
  // Plain http has no clipboard.
  button.hidden = navigator.clipboard === undefined
  button.addEventListener('click', async () => {
    const codes = [...source.querySelectorAll('code')].map((code) => code.textContent)
    try {
      await navigator.clipboard.writeText(codes.join('\n'))
      document.getElementById(`${copies}-copied`).textContent = copied
    } catch {
      // The browser does not allow it: the user copies what is selected.
      getSelection().selectAllChildren(source)
    }
  })
}

for (const button of document.querySelectorAll('[data-prints]')) {
  button.hidden = false
  button.addEventListener('click', () => print())
}
