/** The content of the sign-in pages. routes.ts decides which one is shown. */
import { type Html, html } from './html.ts'

/** Shared by all pages. `up` is the relative path from the page to their common folder, `''` or `'../'`. */
export type Frame = { productName: string; up: string; assets: string }
export type Person = { name: string; username: string }
/** `at` is the id of the field concerned. */
export type Message = { title: string; detail: string; at?: string }

type SignIn = {
  username?: string
  returnTo: string | undefined
  fault?: Message
  /** No administrator can sign in yet. */
  lacksAdministrator?: boolean
  /** Users can request a link for a new password. */
  canReset: boolean
  /** Other ways of signing in. */
  buttons?: Html
  passkey?: Html | undefined
  /** Asks for the name alone: it may belong to a company, which asks for the rest. */
  isNameOnly?: boolean
}

export function signInPage(
  frame: Frame,
  { username = '', returnTo, fault, lacksAdministrator = false, canReset, buttons, passkey, isNameOnly }: SignIn,
): string {
  const described = fault && html` aria-describedby="message" aria-invalid="true"`
  const focus = html` autofocus`
  return page(
    frame,
    { title: 'Sign in', fault, note: lacksAdministrator ? firstAdministrator : undefined },
    html`
<form method="post" action="${frame.up}login">
${hiddenReturnTo(returnTo)}<div class="field">
<label for="username">Username or email address</label>
<div class="control"><input id="username" name="username" type="text" value="${username}" autocomplete="username${passkey && ' webauthn'}"
 autocapitalize="none" autocorrect="off" spellcheck="false" required${username === '' ? focus : ''}${described}></div>
</div>
${isNameOnly ? '' : passwordField(html`${username === '' ? '' : focus}${described}`)}<button class="action" type="submit">${isNameOnly ? 'Continue' : 'Sign in'}</button>
</form>
${passkey}${buttons}<p class="foot quiet small">${canReset ? html`<a href="${frame.up}forgot-password">Forgot your password?</a>` : 'Forgot your password? Ask an administrator to set a new one for you.'}</p>`,
  )
}

function passwordField(attributes: Html): Html {
  return html`<div class="field">
<label for="password">Password</label>
<div class="control"><input id="password" name="password" type="password" autocomplete="current-password"
 required${attributes}></div>
</div>
`
}

const firstAdministrator = html`There is no administrator yet. Open the link that was printed where the service started, or
print another one there: <code>rollbook admin link</code>`

export function signedInPage(
  frame: Frame,
  {
    person,
    productUrl,
    note,
    canLink,
  }: { person: Person; productUrl: string | undefined; note: string | undefined; canLink: boolean },
): string {
  return page(
    frame,
    { title: 'You are signed in', note },
    html`
<p class="quiet">${nameOf(person)}</p>
${productUrl === undefined ? '' : html`<a class="action" href="${productUrl}">Continue to ${frame.productName}</a>\n`}
<a class="action second" href="${frame.up}change-password">Change password</a>
${canLink ? html`<a class="action second" href="${frame.up}link">Linked accounts</a>\n` : ''}<form class="beside" method="post" action="${frame.up}logout">
<button class="action second" type="submit">Sign out</button>
</form>`,
  )
}

export function signOutPage(
  frame: Frame,
  { person, returnTo }: { person: Person; returnTo: string | undefined },
): string {
  return page(
    frame,
    { title: 'Sign out?' },
    html`
<p class="quiet">You are signed in as ${nameOf(person)}.</p>
<form method="post" action="${frame.up}logout">
${hiddenReturnTo(returnTo)}<button class="action" type="submit">Sign out</button>
</form>
<a class="action second" href="${returnTo ?? `${frame.up}login`}">Stay signed in</a>`,
  )
}

export function signedOutPage(frame: Frame, { returnTo }: { returnTo: string | undefined }): string {
  return page(
    frame,
    { title: 'You are signed out' },
    html`
<p class="quiet">Other people who use this browser can no longer use your account.</p>
<a class="action" href="${withReturnTo(`${frame.up}login`, returnTo)}">Sign in again</a>`,
  )
}

export type PasswordFaults = { message?: Message; current?: string; chosen?: string; repeated?: string }

export function changePasswordPage(
  frame: Frame,
  options: { person: Person; isRequired: boolean; returnTo: string | undefined; faults: PasswordFaults },
): string {
  const { person, isRequired, returnTo, faults } = options
  const { current, chosen, repeated } = faults
  const why = isRequired
    ? 'Your current password was set for you. Choose one that only you know.'
    : `You are signed in as ${person.username}.`
  return page(
    frame,
    { title: isRequired ? 'Choose a new password' : 'Change password', fault: summaryOf(faults) },
    html`
<p class="quiet">${why}</p>
<form method="post" action="${frame.up}change-password">
${hiddenReturnTo(returnTo)}<input type="text" value="${person.username}" autocomplete="username" readonly hidden>
<div class="field">
<label for="current-password">Current password</label>
<div class="control"><input id="current-password" name="current_password" type="password"
 autocomplete="current-password" required${describedBy('current-fault', current)}></div>
${faultAt('current-fault', current)}</div>
<div class="field">
<label for="new-password">New password</label>
<div class="control"><input id="new-password" name="new_password" type="password" autocomplete="new-password"
 minlength="15" required${describedBy('new-fault', chosen, 'new-hint')}></div>
${faultAt('new-fault', chosen)}<p id="new-hint">At least 15 characters. A few unrelated words are easy to remember.</p>
</div>
<noscript><div class="field">
<label for="new-password-again">New password, again</label>
<div class="control"><input id="new-password-again" name="new_password_again" type="password"
 autocomplete="new-password" required${describedBy('again-fault', repeated)}></div>
${faultAt('again-fault', repeated)}</div></noscript>
<button class="action" type="submit">Change password</button>
</form>
<p class="foot quiet small">You stay signed in here and are signed out everywhere else.</p>${isRequired ? signOutInstead(frame) : ''}`,
  )
}

function summaryOf({ message, current, chosen, repeated }: PasswordFaults): Message | undefined {
  const title = 'The password was not changed.'
  if (current !== undefined) return { title, detail: current, at: 'current-password' }
  if (chosen !== undefined) return { title, detail: chosen, at: 'new-password' }
  return repeated === undefined ? message : { title, detail: repeated, at: 'new-password-again' }
}

function signOutInstead(frame: Frame): Html {
  return html`
<form class="beside" method="post" action="${frame.up}logout">
<button class="action second" type="submit">Sign out</button>
</form>`
}

export function problemPage(frame: Frame, { title, detail, requestId }: Message & { requestId: string }): string {
  return page(
    frame,
    { title, isProblem: true },
    html`
<p>${detail}</p>
<a class="action" href="${frame.up}login">Go to the sign-in page</a>
<p class="foot quiet small">If you ask for help, quote this number: ${requestId}</p>`,
  )
}

/** Replaces a page of the product when the user has nothing to fix. */
export function insteadOfProductPage(
  frame: Frame,
  { title, detail, requestId }: Message & { requestId: string },
): string {
  return page(
    frame,
    { title, isProblem: true },
    html`
<p>${detail}</p>
<a class="action" href="">Try again</a>
<p class="foot quiet small">If you ask for help, quote this number: ${requestId}</p>`,
  )
}

/** A link to `path` that keeps the place to return to. */
export function withReturnTo(path: string, returnTo: string | undefined): string {
  return returnTo === undefined ? path : `${path}?return_to=${encodeURIComponent(returnTo)}`
}

type Heading = { title: string; fault?: Message | undefined; note?: string | Html | undefined; isProblem?: boolean }

export function page(
  { productName, assets }: Frame,
  { title, fault, note, isProblem }: Heading,
  content: Html,
): string {
  // Screen readers read the title first.
  const said = fault === undefined && !isProblem ? title : `Error: ${title}`
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${said} · ${productName}</title>
<link rel="icon" type="image/svg+xml" href="${assets}/mark.svg">
<link rel="preload" href="${assets}/inter-latin.woff2" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${assets}/login.css">
<script defer src="${assets}/login.js"></script>
</head>
<body>
<main>
<p class="product"><img src="${assets}/mark.svg" alt="" width="40" height="40"> ${productName}</p>
<h1>${title}</h1>
${fault && alert(fault)}${note && html`<p class="message note" role="status">${note}</p>`}
${content}
</main>
</body>
</html>
`
  return document.text
}

function alert({ title, detail, at }: Message): Html {
  const told = at === undefined ? detail : html`<a href="#${at}">${detail}</a>`
  return html`<p class="message fault" id="message" role="alert"><strong>${title}</strong> ${told}</p>`
}

function nameOf({ name, username }: Person): Html {
  return name === '' ? html`<strong>${username}</strong>` : html`<strong>${name}</strong> (${username})`
}

export function hiddenReturnTo(returnTo: string | undefined): Html {
  return returnTo === undefined ? html`` : html`<input type="hidden" name="return_to" value="${returnTo}">\n`
}

export function describedBy(faultId: string, fault: string | undefined, hintId?: string): Html {
  const ids = [...(fault === undefined ? [] : [faultId]), ...(hintId === undefined ? [] : [hintId])]
  const invalid = fault === undefined ? '' : html` aria-invalid="true"`
  return ids.length === 0 ? html`` : html` aria-describedby="${ids.join(' ')}"${invalid}`
}

export function faultAt(id: string, fault: string | undefined): Html {
  return fault === undefined ? html`` : html`<p class="problem" id="${id}">${fault}</p>\n`
}
