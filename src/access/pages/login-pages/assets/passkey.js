// Signs in, or confirms, with a passkey. The page says in `data-` attributes where to send what, and has the texts.

const box = document.querySelector('.passkey')
const button = box.querySelector('button')
const { start, options, finish, done, accounts, domain } = box.dataset
const host = location.hostname
const isUsable =
  isSecureContext &&
  'PublicKeyCredential' in window &&
  'credentials' in navigator &&
  // No passkey belongs to an IP address.
  !/^[\d.]+$|:/.test(host)
const isOwnDomain = domain === undefined || host === domain || host.endsWith(`.${domain}`)

const refused = new Set(['sign_in_failed', 'second_factor_failed', 'confirmation_failed', 'no_factor'])
let attempt = new AbortController()

function show(words) {
  for (const text of box.querySelectorAll('[data-words]')) text.hidden = text.dataset.words !== words
}

function wordsFor({ name, code }) {
  if (name === 'NotAllowedError' || name === 'AbortError') return 'cancelled'
  if (name === 'SecurityError' || name === 'NotSupportedError') return 'unusable'
  if (refused.has(code)) return 'refused'
  return code === 'challenge_expired' ? 'expired' : 'busy'
}

async function send(path, body) {
  const json = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const response = await fetch(path, { method: 'POST', ...json })
  const answer = await response.json()
  if (response.ok) return answer
  throw Object.assign(new Error(answer.detail), { code: answer.code, unknown: answer.unknown_passkey })
}

/** One after the other: the cookie of the first answer belongs to the second one's options as well. */
let asked = Promise.resolve()
function ask() {
  const next = () => send(start)
  asked = asked.then(next, next)
  return asked
}

const bytesOf = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0))

function textOf(value) {
  if (typeof value === 'string') return value
  const bytes = ArrayBuffer.isView(value)
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : new Uint8Array(value)
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

function readOptions({ challenge, allowCredentials, ...others }) {
  const allowed = allowCredentials.map(({ id, ...rest }) => ({ ...rest, id: bytesOf(id) }))
  return { ...others, challenge: bytesOf(challenge), allowCredentials: allowed }
}

/** Member by member: password managers replace navigator.credentials, and what they return can lack toJSON. */
function plain({ id, response }) {
  const { clientDataJSON, authenticatorData, signature, userHandle } = response
  return {
    id,
    type: 'public-key',
    response: {
      clientDataJSON: textOf(clientDataJSON),
      authenticatorData: textOf(authenticatorData),
      signature: textOf(signature),
      userHandle: userHandle ? textOf(userHandle) : null,
    },
  }
}

/** With `conditional` the browser offers passkeys in the name field, and nothing is said until the user chooses one. */
async function use(mediation) {
  attempt.abort()
  const own = new AbortController()
  attempt = own
  let renewal
  let credential
  try {
    const publicKey = readOptions(options === undefined ? (await ask()).options : JSON.parse(options))
    if (own.signal.aborted) return
    // The service accepts the options for a limited time only.
    if (mediation) renewal = setTimeout(renew, publicKey.timeout * 0.9)
    credential = await navigator.credentials.get({ publicKey, signal: own.signal, ...(mediation && { mediation }) })
    if (!credential) throw new DOMException('', 'NotAllowedError')
    await send(finish, { passkey: plain(credential) })
    await tellAccepted()
    location.assign(done)
  } catch (error) {
    if (own.signal.aborted || (mediation && !credential)) return
    forget(error)
    const words = wordsFor(error)
    show(words)
    if (domain !== undefined && (words === 'cancelled' || words === 'expired')) suggest()
  } finally {
    clearTimeout(renewal)
  }
}

function renew() {
  if (document.hidden) document.addEventListener('visibilitychange', suggest, { once: true })
  else suggest()
}

/** So that the password manager no longer offers a passkey that was removed. */
function forget({ unknown }) {
  if (unknown === undefined) return
  const known = { rpId: unknown.rp_id, credentialId: unknown.credential_id }
  PublicKeyCredential.signalUnknownCredential?.(known).catch((error) => console.info(error))
}

/** So that the password manager hides the passkeys that were removed meanwhile. */
async function tellAccepted() {
  if (PublicKeyCredential.signalAllAcceptedCredentials === undefined) return
  try {
    const response = await fetch(accounts)
    const { passkey_accounts = [] } = await response.json()
    for (const { rp_id, user_handle, credential_ids } of passkey_accounts) {
      const accepted = { rpId: rp_id, userId: user_handle, allAcceptedCredentialIds: credential_ids }
      await PublicKeyCredential.signalAllAcceptedCredentials(accepted)
    }
  } catch (error) {
    // The user is signed in.
    console.info(error)
  }
}

/** A page of another origin than that of the passkeys' domain, which lists it (WebAuthn §5.11). */
async function isRelated() {
  const capabilities = await PublicKeyCredential.getClientCapabilities?.()
  return capabilities?.relatedOrigins === true
}

async function suggest() {
  if (await PublicKeyCredential.isConditionalMediationAvailable?.()) use('conditional')
}

async function open() {
  if (isUsable && (isOwnDomain || (await isRelated()))) {
    button.hidden = false
    if ('first' in box.dataset) button.focus()
    button.addEventListener('click', () => {
      show()
      use()
    })
    if (domain !== undefined) suggest()
  } else if (domain === undefined) {
    show('unusable')
  }
}

open()
