// Lets users see the password they type, and brings them to a field that they open. The page has the texts in `data-` attributes of this script.

const texts = document.currentScript.dataset

for (const input of document.querySelectorAll('input[type="password"]')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'reveal'
  button.setAttribute('aria-controls', input.id)
  const name = document.querySelector(`label[for="${input.id}"]`).textContent

  const show = (isShown) => {
    input.type = isShown ? 'text' : 'password'
    button.textContent = isShown ? texts.hide : texts.show
    button.setAttribute(
      'aria-label',
      (isShown ? texts.hideField : texts.showField).replace('{field}', () => name),
    )
  }
  button.addEventListener('click', () => show(input.type === 'password'))
  // Browsers store what was typed into a plain text field and suggest it later.
  input.form.addEventListener('submit', () => show(false))
  // Going back in the history restores the field as it was.
  addEventListener('pagehide', () => show(false))

  show(false)
  input.parentElement.classList.add('revealable')
  input.after(button)
}

for (const instead of document.querySelectorAll('.instead')) {
  instead.addEventListener('toggle', () => {
    if (instead.open) instead.querySelector('input').focus()
  })
}

// A form that another site brought here is posted once more, because only then the browser sends our cookies.
document.querySelector('form[data-at-once]')?.requestSubmit()
