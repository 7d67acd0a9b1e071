// Lets people see the password that they type. Nothing else on these pages needs a script.

for (const input of document.querySelectorAll('input[type="password"]')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'reveal'
  button.setAttribute('aria-controls', input.id)
  const name = document.querySelector(`label[for="${input.id}"]`)?.textContent.toLowerCase() ?? 'password'

  const show = (isShown) => {
    input.type = isShown ? 'text' : 'password'
    button.textContent = isShown ? 'Hide' : 'Show'
    button.setAttribute('aria-label', `${button.textContent} ${name}`)
  }
  button.addEventListener('click', () => show(input.type === 'password'))
  // Browsers keep what was typed into a field of plain text, and offer it again.
  input.form.addEventListener('submit', () => show(false))
  // Back in the history brings the field as it was left.
  addEventListener('pagehide', () => show(false))

  show(false)
  input.parentElement.classList.add('revealable')
  input.after(button)
}
