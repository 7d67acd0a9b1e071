// Copies or prints what is shown only now. The buttons are hidden until this runs.

for (const button of document.querySelectorAll('[data-copies]')) {
  const { copies, copied, selected } = button.dataset
  const source = document.getElementById(copies)
  button.hidden = false
  button.addEventListener('click', async () => {
    const codes = [...source.querySelectorAll('code')].map((code) => code.textContent)
    const isCopied = await copy(codes.join('\n'), source)
    document.getElementById(`${copies}-copied`).textContent = isCopied ? copied : selected
  })
}

async function copy(text, source) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Plain http has no clipboard, and a browser may not allow it. What is selected can be copied by hand, too.
    getSelection().selectAllChildren(source)
    return copySelection(text)
  }
}

/** With a text in place of the selection, which has line breaks of the page. */
function copySelection(text) {
  let isCopied = false
  const replace = (event) => {
    event.preventDefault()
    event.clipboardData.setData('text/plain', text)
    isCopied = true
  }
  document.addEventListener('copy', replace, { once: true })
  const isAllowed = document.execCommand('copy')
  document.removeEventListener('copy', replace)
  return isAllowed && isCopied
}

for (const button of document.querySelectorAll('[data-prints]')) {
  button.hidden = false
  button.addEventListener('click', () => print())
}
