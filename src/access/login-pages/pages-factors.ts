/** The pages for second factors: to confirm with one, and to add the first one. They work without scripts, except passkeys. */
import { Html, html } from './html.ts'
import { describedBy, type Frame, hiddenReturnTo, type Message, page, withReturnTo } from './pages.ts'
import { newPasskeyOffer, passkeyOffer } from './passkey-offer.ts'

type SecondStep = {
  challenge_id: string
  methods: readonly string[]
  /** The options for a passkey, as JSON. */
  passkey: string | undefined
  returnTo: string | undefined
  /** For how many days the browser can be trusted; 0: it cannot. */
  trustDays: number
  trusts?: boolean
  fault?: Message
}

/** One field for both kinds of code: users without their phone need not look for another page. */
export function secondStepPage(
  frame: Frame,
  { challenge_id, methods, passkey, returnTo, trustDays, trusts = false, fault }: SecondStep,
): string {
  const form = html`<form method="post" action="${frame.up}login">
${hiddenReturnTo(returnTo)}<input type="hidden" name="challenge_id" value="${challenge_id}">
<input type="hidden" name="methods" value="${methods.join(' ')}">
${passkey && html`<input type="hidden" name="passkey" value="${passkey}">\n`}${codeField(methods, fault)}${trustDays > 0 ? trustField(trustDays, trusts) : ''}<button class="action" type="submit">Sign in</button>
</form>
`
  const offer = passkey && { options: passkey, finish: 'sessions', returnTo }
  return page(
    frame,
    { title: 'Confirm that it is you', fault },
    html`
${withPasskey(frame, methods, { form, offer: offer || undefined })}<p class="foot quiet small"><a href="${withReturnTo(`${frame.up}login`, returnTo)}">Start again</a></p>`,
  )
}

type Ways = { form: Html; offer: Omit<Parameters<typeof passkeyOffer>[1], 'label'> | undefined }

/** The app's code comes first, or else the passkey; a form that no code fits is left out. */
function withPasskey(frame: Frame, methods: readonly string[], { form, offer }: Ways): Html {
  if (offer === undefined) return form
  const isFirst = !methods.includes('totp')
  const passkey = passkeyOffer(frame, { ...offer, label: 'Use a passkey', isFirst })
  if (!isFirst) return html`${form}${passkey}`
  return methods.includes('recovery_code') ? html`${passkey}${form}` : passkey
}

type Confirm = {
  username: string
  methods: readonly string[]
  hasPassword: boolean
  returnTo: string | undefined
  fault?: Message
  buttons?: Html
}

/** For what needs a recent authentication: the password, or a code of users who have a second factor. */
export function confirmPage(
  frame: Frame,
  { username, methods, hasPassword, returnTo, fault, buttons }: Confirm,
): string {
  const field = methods.length > 0 ? codeField(methods, fault) : passwordField(fault)
  const form = html`<form method="post" action="${frame.up}confirm">
${hiddenReturnTo(returnTo)}<input type="text" value="${username}" autocomplete="username" readonly hidden>
${field}<button class="action" type="submit">Confirm</button>
</form>
`
  const path = 'sessions/current/reauthentication'
  const offer = methods.includes('passkey') ? { start: `${path}/passkey-options`, finish: path, returnTo } : undefined
  return page(
    frame,
    { title: 'Confirm that it is you', fault },
    html`
<p class="quiet">You are signed in as ${username}.</p>
${methods.length > 0 || hasPassword ? withPasskey(frame, methods, { form, offer }) : ''}${buttons}<form class="beside" method="post" action="${frame.up}logout">
<button class="action second" type="submit">Sign out</button>
</form>`,
  )
}

function trustField(days: number, isChecked: boolean): Html {
  return html`<label class="check"><input type="checkbox" name="trust_browser" value="true"${isChecked ? new Html(' checked') : ''}>
<span>Do not ask again in this browser for ${days === 1 ? 'a day' : `${days} days`}. Use this only on a device that is yours.</span></label>
`
}

function codeField(methods: readonly string[], fault: Message | undefined): Html {
  const hasApp = methods.includes('totp')
  const label = hasApp ? 'Code from your authenticator app' : 'Recovery code'
  const hint = hasApp ? 'Six digits. Without your phone, enter a recovery code.' : 'Each recovery code works once.'
  return html`<div class="field">
<label for="code">${label}</label>
<div class="control"><input id="code" name="code" type="text" autocomplete="one-time-code" autocapitalize="characters"
 autocorrect="off" spellcheck="false" required autofocus${describedBy('message', fault?.detail, 'code-hint')}></div>
<p id="code-hint">${hint}</p>
</div>
`
}

function passwordField(fault: Message | undefined): Html {
  return html`<div class="field">
<label for="password">Password</label>
<div class="control"><input id="password" name="password" type="password" autocomplete="current-password"
 required autofocus${describedBy('message', fault?.detail)}></div>
</div>
`
}

type Offer = {
  username: string
  returnTo: string | undefined
  /** Until then it can wait; null if it is required now. */
  requiredFrom: string | null
  /** Passkeys belong to a domain, which this service has. */
  mayUsePasskey: boolean
}

/** Nothing happens until the button is pressed: a page that is only looked at changes nothing. */
export function offerFactorPage(frame: Frame, { username, returnTo, requiredFrom, mayUsePasskey }: Offer): string {
  const isLater = requiredFrom !== null
  const requires = isLater ? `will require a second factor from ${dayOf(requiredFrom)} on` : 'requires a second factor'
  return page(
    frame,
    { title: 'Add a second factor' },
    html`
<p>Your organization ${requires}, so that a stolen password is not enough. You need ${mayUsePasskey ? 'a passkey, or ' : ''}an authenticator app on your phone.</p>
<form method="post" action="${frame.up}add-factor">
${hiddenReturnTo(returnTo)}<button class="action" type="submit">Set up an authenticator app</button>
</form>
${mayUsePasskey ? firstPasskey(frame, returnTo) : ''}${isLater ? html`<a class="action second" href="${returnTo ?? `${frame.up}login`}">Later</a>\n` : signOutForm(frame)}<p class="foot quiet small">You are signed in as ${username}.</p>`,
  )
}

/** The script asks the API, which wants a recent authentication as the form does. */
function firstPasskey(frame: Frame, returnTo: string | undefined): Html {
  const { up } = frame
  return newPasskeyOffer(frame, {
    label: 'Use a passkey',
    start: `${up}me/factors/passkeys/options`,
    finish: `${up}me/factors/passkeys`,
    done: withReturnTo(`${up}recovery-codes`, returnTo),
    confirm: `${up}confirm`,
  })
}

function signOutForm(frame: Frame): Html {
  return html`<form class="beside" method="post" action="${frame.up}logout">
<button class="action second" type="submit">Sign out</button>
</form>
`
}

/** The settings are in UTC as well. */
function dayOf(instant: string): string {
  return new Date(instant).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
}

type Setup = {
  factor_id: string
  secret: string
  otpauth_uri: string
  qr_code: string
  returnTo: string | undefined
  fault?: Message
}

export function setUpFactorPage(frame: Frame, setup: Setup): string {
  const { factor_id, secret, otpauth_uri, qr_code, returnTo, fault } = setup
  return page(
    frame,
    { title: 'Set up your authenticator app', fault },
    html`
<p>Scan this picture with the app, then enter the code that it shows.</p>
<div class="qr" role="img" aria-label="QR code for the authenticator app">${new Html(qr_code)}</div>
<p class="small">On this device: <a href="${otpauth_uri}">open the app</a>. Or type in this key:
<code class="key">${secret.match(/.{1,4}/g)?.join(' ') ?? secret}</code></p>
<form method="post" action="${frame.up}add-factor">
${hiddenReturnTo(returnTo)}<input type="hidden" name="factor_id" value="${factor_id}">
<div class="field">
<label for="code">Code from the app</label>
<div class="control"><input id="code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code"
 required${describedBy('message', fault?.detail)}></div>
</div>
<button class="action" type="submit">Continue</button>
</form>`,
  )
}

type CodesOffer = { left: number; returnTo: string | undefined; next: string }

/** Nothing happens until the button is pressed. */
export function offerCodesPage(frame: Frame, { left, returnTo, next }: CodesOffer): string {
  const unused = left === 1 ? 'one unused code' : `${left} unused codes`
  return page(
    frame,
    { title: 'Get recovery codes' },
    html`
<p>With a recovery code you can still sign in if you lose your phone or passkey. You get ten, and each works once.${left > 0 ? ` You have ${unused}, which the new ones replace.` : ''}</p>
<form method="post" action="${frame.up}recovery-codes">
${hiddenReturnTo(returnTo)}<button class="action" type="submit">Show recovery codes</button>
</form>
<a class="action second" href="${next}">${left > 0 ? 'Keep the codes that I have' : 'Later'}</a>`,
  )
}

type Codes = { codes: readonly string[]; next: string }

export function recoveryCodesPage(frame: Frame, { codes, next }: Codes): string {
  return page(
    frame,
    { title: 'Keep your recovery codes' },
    html`
<p>Each of these codes stands in once for a phone or passkey that you have lost. Print them or write them down; they are shown only now.</p>
<ul class="codes">
${new Html(codes.map((code) => html`<li><code>${code}</code></li>\n`.text).join(''))}</ul>
<a class="action" href="${next}">I have kept them</a>`,
  )
}
