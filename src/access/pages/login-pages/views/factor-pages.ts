/** The pages for second factors: to confirm with one, and to add the first one. They work without scripts, except passkeys. */
import { Html, html, type Text } from '../../../../lib/html.ts'
import type { Texts } from '../../page-texts/service.ts'
import {
  copyParts,
  describedBy,
  type Frame,
  faultAt,
  hiddenReturnTo,
  type Message,
  type Page,
  page,
  signOutForm,
  withReturnTo,
} from './pages.ts'
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
  fault?: Message | undefined
  /** What the step before has done. */
  note?: Text | undefined
}

export function secondStepPage(
  frame: Frame,
  { challenge_id, methods, passkey, returnTo, trustDays, trusts = false, fault, note }: SecondStep,
): Page {
  const { t } = frame
  const form = html`<form method="post" action="${frame.up}login">
${hiddenReturnTo(returnTo)}<input type="hidden" name="challenge_id" value="${challenge_id}">
<input type="hidden" name="methods" value="${methods.join(' ')}">
${passkey && html`<input type="hidden" name="passkey" value="${passkey}">\n`}${codeFields(t, methods, { fault })}${trustDays > 0 ? trustField(t.confirm.trust(trustDays), trusts) : ''}<button class="action" type="submit">${t.signIn.submit}</button>
</form>
`
  const offer = passkey && { options: passkey, finish: 'sessions', returnTo }
  return page(
    frame,
    { title: t.confirm.title, fault, note, isOnce: true },
    html`
${withPasskey(frame, methods, { form, offer: offer || undefined })}<p class="foot quiet small"><a href="${withReturnTo(`${frame.up}login`, returnTo)}">${t.page.startAgain}</a></p>`,
  )
}

type Ways = { form: Html; offer: Omit<Parameters<typeof passkeyOffer>[1], 'label'> | undefined }

/** The app's code comes first, or else the passkey; a form that no code fits is left out. */
function withPasskey(frame: Frame, methods: readonly string[], { form, offer }: Ways): Html {
  if (offer === undefined) return form
  const isFirst = !methods.includes('totp')
  const passkey = passkeyOffer(frame, { ...offer, label: frame.t.passkeys.use, isFirst })
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
export function confirmPage(frame: Frame, { username, methods, hasPassword, returnTo, fault, buttons }: Confirm): Page {
  const { t } = frame
  const field = methods.length > 0 ? codeFields(t, methods, { fault }) : passwordField(t, fault)
  const form = html`<form method="post" action="${frame.up}confirm">
${hiddenReturnTo(returnTo)}<input type="text" value="${username}" autocomplete="username" readonly hidden>
${field}<button class="action" type="submit">${t.confirm.submit}</button>
</form>
`
  const path = 'sessions/current/reauthentication'
  const offer = methods.includes('passkey') ? { start: `${path}/passkey-options`, finish: path, returnTo } : undefined
  return page(
    frame,
    { title: t.confirm.title, fault },
    html`
<p class="quiet">${t.page.signedInAs(username)}${methods.length === 0 && hasPassword ? ` ${t.confirm.passwordWhy}` : ''}</p>
${methods.length > 0 || hasPassword ? withPasskey(frame, methods, { form, offer }) : ''}${buttons}${signOutForm(frame)}`,
  )
}

function trustField(label: string, isChecked: boolean): Html {
  return html`<input type="hidden" name="can_trust" value="true">
<label class="check"><input type="checkbox" name="trust_browser" value="true"${isChecked ? new Html(' checked') : ''}>
<span>${label}</span></label>
`
}

type CodeFields = {
  fault: Message | undefined
  /** The fault is shown at the field, not at the top of the page. */
  isFaultBeside?: boolean
  hints?: { app: string; recovery: string }
  focus?: Html
}

/**
 * The field for the app's code, which brings up a keyboard of digits, and behind a link the one for a recovery code. Users who have
 * only recovery codes see only that field.
 */
export function codeFields(
  t: Texts,
  methods: readonly string[],
  { fault, isFaultBeside = false, hints, focus = html` autofocus` }: CodeFields,
): Html {
  const { fields, confirm } = t
  const [hasApp, hasCodes] = [methods.includes('totp'), methods.includes('recovery_code')]
  const isRecovery = fault?.at === 'recovery-code'
  const faultOf = (isHere: boolean) => (isHere ? fault?.detail : undefined)
  const beside = (id: string, isHere: boolean) => (isFaultBeside ? faultAt(id, faultOf(isHere)) : '')
  const described = (id: string, isHere: boolean) =>
    describedBy(isFaultBeside ? `${id}-fault` : 'message', faultOf(isHere), `${id}-hint`)
  const recovery = html`<div class="field">
<label for="recovery-code">${fields.recoveryCode}</label>
<div class="control"><input id="recovery-code" name="recovery_code" type="text" dir="ltr" autocomplete="off" autocapitalize="characters"
 autocorrect="off" spellcheck="false" maxlength="64"${hasApp ? '' : html` required${focus}`}${described('recovery-code', isRecovery || !hasApp)}></div>
${beside('recovery-code-fault', isRecovery || !hasApp)}<p id="recovery-code-hint">${hasApp ? fields.recoveryCodeHint : (hints?.recovery ?? fields.recoveryCodeHint)}</p>
</div>
`
  if (!hasApp) return recovery
  return html`<div class="field">
<label for="code">${fields.appCode}</label>
<div class="control"><input id="code" name="code" type="text" dir="ltr" inputmode="numeric" autocomplete="one-time-code"
 autocorrect="off" spellcheck="false" maxlength="64"${hasCodes ? '' : html` required`}${isRecovery ? '' : focus}${described('code', !isRecovery)}></div>
${beside('code-fault', !isRecovery)}<p id="code-hint">${hints?.app ?? fields.appCodeHint}</p>
</div>
${hasCodes ? html`<details class="instead"${isRecovery ? html` open` : ''}><summary>${confirm.useRecoveryCode}</summary>\n${recovery}</details>\n` : ''}`
}

function passwordField({ fields }: Texts, fault: Message | undefined): Html {
  return html`<div class="field">
<label for="password">${fields.password}</label>
<div class="control"><input id="password" name="password" type="password" autocomplete="current-password"
 required autofocus${describedBy('message', fault?.detail)}></div>
</div>
`
}

type Offer = {
  /** By the policy, now or from a day on. */
  isRequired: boolean
  username: string
  returnTo: string | undefined
  /** The deadline for adding one. Null if it is required now. */
  requiredFrom: string | null
  /** Passkeys belong to a domain, which this service has. */
  mayUsePasskey: boolean
}

/** Nothing happens until the button is pressed: a page that is only looked at changes nothing. */
export function offerFactorPage(
  frame: Frame,
  { username, returnTo, isRequired, requiredFrom, mayUsePasskey }: Offer,
): Page {
  const { t } = frame
  return page(
    frame,
    { title: t.addFactor.title },
    html`
<p>${t.addFactor.why({ isRequired, from: requiredFrom, mayUsePasskey })}</p>
<form method="post" action="${frame.up}add-factor">
${hiddenReturnTo(returnTo)}<button class="action" type="submit">${t.addFactor.setUp}</button>
</form>
${mayUsePasskey ? firstPasskey(frame, returnTo) : ''}${isRequired && requiredFrom === null ? signOutForm(frame) : html`<a class="action second" href="${returnTo ?? `${frame.up}login`}">${t.page.later}</a>\n`}<p class="foot quiet small">${t.page.signedInAs(username)}</p>`,
  )
}

/** The script calls the API, which requires a recent authentication, as the form does. */
function firstPasskey(frame: Frame, returnTo: string | undefined): Html {
  const { up } = frame
  return newPasskeyOffer(frame, {
    label: frame.t.passkeys.use,
    start: `${up}me/factors/passkeys/options`,
    finish: `${up}me/factors/passkeys`,
    done: withReturnTo(`${up}recovery-codes`, returnTo),
    confirm: `${up}confirm`,
  })
}

type Setup = {
  factor_id: string
  secret: string
  otpauth_uri: string
  qr_code: string
  returnTo: string | undefined
  fault?: Message
}

export function setUpFactorPage(frame: Frame, setup: Setup): Page {
  const { t } = frame
  const { factor_id, secret, otpauth_uri, qr_code, returnTo, fault } = setup
  return page(
    frame,
    { title: t.addFactor.setUpTitle, fault, isOnce: true },
    html`
<p>${t.addFactor.scan}</p>
<div class="qr" role="img" aria-label="${t.addFactor.picture}">${new Html(qr_code)}</div>
<p class="small">${t.addFactor.thisDevice} <a href="${otpauth_uri}">${t.addFactor.openApp}</a>. ${t.addFactor.orType}
<code class="key">${secret.match(/.{1,4}/g)?.join(' ') ?? secret}</code></p>
<form method="post" action="${frame.up}add-factor">
${hiddenReturnTo(returnTo)}<input type="hidden" name="factor_id" value="${factor_id}">
<div class="field">
<label for="code">${t.addFactor.code}</label>
<div class="control"><input id="code" name="code" type="text" dir="ltr" inputmode="numeric" autocomplete="one-time-code"
 required${describedBy('message', fault?.detail)}></div>
</div>
<button class="action" type="submit">${t.page.continue}</button>
</form>`,
  )
}

type CodesOffer = {
  left: number
  returnTo: string | undefined
  next: string
  /** The user has just signed in or confirmed with one. */
  isUsed: boolean
  accountPath: string
}

/** Nothing happens until the button is pressed. */
export function offerCodesPage(frame: Frame, { left, returnTo, next, isUsed, accountPath }: CodesOffer): Page {
  const { t } = frame
  const codes = t.recoveryCodes
  const why = isUsed
    ? html`<p>${codes.left(left)}</p>
<p>${codes.lost} <a href="${accountPath}">${codes.toAccount}</a></p>`
    : html`<p>${codes.why}${left > 0 ? ` ${codes.replaces(left)}` : ''}</p>`
  return page(
    frame,
    { title: isUsed ? codes.used : codes.offer },
    html`
${why}
<form method="post" action="${frame.up}recovery-codes">
${hiddenReturnTo(returnTo)}<button class="action" type="submit">${isUsed ? codes.create : codes.show}</button>
</form>
<a class="action second" href="${next}">${left > 0 ? codes.keepOld : t.page.later}</a>`,
  )
}

type Codes = { codes: readonly string[]; next: string }

export function recoveryCodesPage(frame: Frame, { codes, next }: Codes): Page {
  const { t } = frame
  const words = t.recoveryCodes
  const file = [frame.productName, t.account.factors.codes, '', ...codes, ''].join('\r\n')
  // Not from the server, which does not have them any more.
  const url = `data:text/plain;charset=utf-8,${encodeURIComponent(file)}`
  const ways = html`<a class="action second" href="${url}" download="recovery-codes.txt">${words.download}</a>
<button class="action second" type="button" data-prints hidden>${words.print}</button>
`
  return page(
    frame,
    { title: words.title, isOnce: true },
    html`
<p>${words.keep}</p>
<ul class="codes" id="codes">
${new Html(codes.map((code) => html`<li><code>${code}</code></li>\n`.text).join(''))}</ul>
${copyParts(frame, 'codes', ways)}<a class="action" href="${next}">${words.kept}</a>`,
  )
}
