// Adds a passkey. The page says in `data-` attributes where to send what (`@` stands for its own path), and has the texts.

const box = document.querySelector('.passkey')
const button = box.querySelector('button')
const { start, finish, done, afterwards, confirm } = box.dataset
const here = location.pathname + location.search
const isUsable =
  isSecureContext &&
  'PublicKeyCredential' in window &&
  'credentials' in navigator &&
  // No passkey belongs to an IP address.
  !/^[\d.]+$|:/.test(location.hostname)

function show(words) {
  for (const text of box.querySelectorAll('[data-words]')) text.hidden = text.dataset.words !== words
}

function wordsFor({ name, status }) {
  if (name === 'NotAllowedError' || name === 'AbortError') return 'cancelled'
  if (name === 'InvalidStateError') return 'known'
  if (name === 'SecurityError' || name === 'NotSupportedError') return 'unusable'
  return status >= 400 && status < 500 && status !== 429 ? 'refused' : 'busy'
}

async function send(path, body) {
  const json = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const response = await fetch(path.replace('@', location.pathname.replace(/\/$/, '')), { method: 'POST', ...json })
  if (response.ok) return response.json()
  throw Object.assign(new Error(await response.text()), { status: response.status })
}

const bytesOf = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0))

function textOf(value) {
  if (typeof value === 'string') return value
  const bytes = ArrayBuffer.isView(value)
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : new Uint8Array(value)
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** Member by member: password managers replace navigator.credentials, and what they return can lack toJSON. */
async function add() {
  button.disabled = true
  try {
    const { challenge_id, options } = await send(start)
    const { challenge, user, excludeCredentials, ...others } = options
    const known = excludeCredentials.map(({ id, ...rest }) => ({ ...rest, id: bytesOf(id) }))
    const publicKey = {
      ...others,
      challenge: bytesOf(challenge),
      user: { ...user, id: bytesOf(user.id) },
      excludeCredentials: known,
    }
    const made = await navigator.credentials.create({ publicKey })
    if (!made) throw new DOMException('', 'NotAllowedError')
    const { clientDataJSON, attestationObject } = made.response
    const response = {
      clientDataJSON: textOf(clientDataJSON),
      attestationObject: textOf(attestationObject),
      transports: made.response.getTransports?.() ?? [],
    }
    await send(finish, { challenge_id, passkey: { id: made.id, type: 'public-key', response } })
    // Relative to this page, and the sign-in page takes a path.
    const after = afterwards && new URL(afterwards, location.href).pathname
    location.assign(after ? `${done}?return_to=${encodeURIComponent(after)}` : done)
  } catch (error) {
    const isStale = error.status === 403 && error.message.includes('reauthentication_required')
    if (confirm && isStale) location.assign(`${confirm}?return_to=${encodeURIComponent(here)}`)
    else show(wordsFor(error))
  } finally {
    button.disabled = false
  }
}

if (isUsable) {
  button.hidden = false
  button.addEventListener('click', () => {
    show()
    add()
  })
}
