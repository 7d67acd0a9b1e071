/** The content of the pages behind links in messages. links.ts decides which one is shown. */
import type { LinkRow, Purpose } from '../../directory/links/service.ts'
import { type Html, html } from './html.ts'
import { describedBy, type Frame, faultAt, type Message, page, problemPage } from './pages.ts'
import { newPasskeyOffer } from './passkey-offer.ts'

export type ChooseFaults = { message?: Message; chosen?: string; repeated?: string; code?: string }

type Choose = {
  purpose: 'invitation' | 'password_reset'
  username: string
  /** The second factors that the user must show one of; none if there is none. */
  methods: readonly string[]
  faults: ChooseFaults
  /** A passkey will do as well. */
  mayUsePasskey: boolean
}

export function choosePasswordPage(
  frame: Frame,
  { purpose, username, methods, faults, mayUsePasskey }: Choose,
): string {
  const { chosen, repeated } = faults
  const isInvited = purpose === 'invitation'
  const title = isInvited ? `Welcome to ${frame.productName}` : 'Set a new password'
  return page(
    frame,
    { title, fault: summaryOf(faults) },
    html`
<p class="quiet">${isInvited ? 'Choose a password for your account' : 'Choose a new password for your account'} <strong>${username}</strong>.</p>
<form method="post">
<input type="text" name="username" value="${username}" autocomplete="username" readonly hidden>
<div class="field">
<label for="new-password">New password</label>
<div class="control"><input id="new-password" name="new_password" type="password" autocomplete="new-password"
 minlength="15" required autofocus${describedBy('new-fault', chosen, 'new-hint')}></div>
${faultAt('new-fault', chosen)}<p id="new-hint">At least 15 characters. A few unrelated words are easy to remember.</p>
</div>
<noscript><div class="field">
<label for="new-password-again">New password, again</label>
<div class="control"><input id="new-password-again" name="new_password_again" type="password"
 autocomplete="new-password" required${describedBy('again-fault', repeated)}></div>
${faultAt('again-fault', repeated)}</div></noscript>
${methods.length > 0 ? codeField(methods, faults.code) : ''}<button class="action" type="submit">Set password</button>
</form>
${mayUsePasskey ? passkeyInstead(frame) : ''}<p class="foot quiet small">${isInvited ? 'Then sign in with this password.' : 'You are signed out everywhere. Then sign in with the new password.'}</p>`,
  )
}

/** Its own path in front, because the page has the secret there and nowhere else. */
function passkeyInstead(frame: Frame): Html {
  const paths = {
    start: '@/passkey-options',
    finish: '@/passkey',
    done: `${frame.up}login`,
    afterwards: `${frame.up}recovery-codes`,
  }
  return newPasskeyOffer(frame, { label: 'Use a passkey instead', ...paths })
}

function codeField(methods: readonly string[], fault: string | undefined) {
  const hasApp = methods.includes('totp')
  const hint = hasApp
    ? 'Your account has a second factor. Enter the six digits, or a recovery code if you do not have your phone.'
    : 'Your account has a second factor. Each recovery code works once.'
  return html`<div class="field">
<label for="code">${hasApp ? 'Code from your authenticator app' : 'Recovery code'}</label>
<div class="control"><input id="code" name="code" type="text" autocomplete="one-time-code" autocapitalize="characters"
 autocorrect="off" spellcheck="false" maxlength="64" required${describedBy('code-fault', fault, 'code-hint')}></div>
${faultAt('code-fault', fault)}<p id="code-hint">${hint}</p>
</div>
`
}

function summaryOf({ message, chosen, repeated, code }: ChooseFaults): Message | undefined {
  const title = 'The password was not set.'
  if (chosen !== undefined) return { title, detail: chosen, at: 'new-password' }
  if (code !== undefined) return { title, detail: code, at: 'code' }
  return repeated === undefined ? message : { title, detail: repeated, at: 'new-password-again' }
}

export function passwordSetPage(frame: Frame, username: string): string {
  return page(
    frame,
    { title: 'Your password is set' },
    html`
<p class="quiet">Sign in as <strong>${username}</strong> with the new password. The link is used up.</p>
<a class="action" href="${frame.up}login">Sign in</a>`,
  )
}

export function forgotPasswordPage(
  frame: Frame,
  { username = '', fault }: { username?: string; fault?: Message } = {},
): string {
  const described = fault && html` aria-describedby="message" aria-invalid="true"`
  return page(
    frame,
    { title: 'Forgot your password?', fault },
    html`
<p class="quiet">Enter your username or email address. You get a message with a link for a new password.</p>
<form method="post" action="${frame.up}forgot-password">
<div class="field">
<label for="username">Username or email address</label>
<div class="control"><input id="username" name="username" type="text" value="${username}" autocomplete="username"
 autocapitalize="none" autocorrect="off" spellcheck="false" maxlength="512" required autofocus${described}></div>
</div>
<button class="action" type="submit">Send the link</button>
</form>
<a class="action second" href="${frame.up}login">Back to the sign-in page</a>`,
  )
}

/** The same for names that exist and names that do not. */
export function messageSentPage(frame: Frame): string {
  return page(
    frame,
    { title: 'Check your mailbox' },
    html`
<p>If there is an account with this name and it has an email address, a message with a link is on its way. The link works for one hour.</p>
<p class="quiet">Nothing there after a few minutes? Look in the spam folder, check the name, or ask an administrator.</p>
<a class="action second" href="${frame.up}forgot-password">Try another name</a>`,
  )
}

export function withoutMailPage(frame: Frame): string {
  return page(
    frame,
    { title: 'Forgot your password?' },
    html`
<p>Ask an administrator: they can give you a link with which you set a new one.</p>
<a class="action" href="${frame.up}login">Back to the sign-in page</a>`,
  )
}

export function confirmAddressPage(frame: Frame, email: string): string {
  return page(
    frame,
    { title: 'Confirm your email address' },
    html`
<p class="quiet">Messages about your account will go to <strong>${email}</strong>.</p>
<form method="post">
<button class="action" type="submit">Confirm the address</button>
</form>`,
  )
}

export function addressConfirmedPage(frame: Frame, email: string): string {
  return page(
    frame,
    { title: 'Your email address is confirmed' },
    html`
<p class="quiet"><strong>${email}</strong> is now your address.</p>
<a class="action" href="${frame.up}login">Continue</a>`,
  )
}

export function signInFirstPage(frame: Frame): string {
  return page(
    frame,
    { title: 'Sign in first' },
    html`
<p>An address can be confirmed only by the user it belongs to. Open the link in the browser in which you asked for it, or in one in which you are signed in; or sign in here, and open it again.</p>
<a class="action" href="${frame.up}login">Sign in</a>`,
  )
}

/** The link that replaced another one. */
export type Newer = { at: string; wasSent: boolean }

type Dead = { purpose: Purpose; link: LinkRow | undefined; newer: Newer | undefined; requestId: string }

/** What to do with a link that does not work. */
export function deadLinkPage(frame: Frame, { purpose, link, newer, requestId }: Dead): string {
  return problemPage(frame, {
    title: 'This link does not work',
    detail: `${whyNot(link, newer)} ${whatNow(purpose)}`,
    requestId,
  })
}

function whyNot(link: LinkRow | undefined, newer: Newer | undefined): string {
  if (link === undefined) return 'It is incomplete or very old. Check that you copied all of it.'
  switch (link.ended_reason) {
    case 'used':
      return 'It was used already, and works once.'
    case 'replaced':
      if (newer === undefined) return 'A newer one was created.'
      return newer.wasSent
        ? `A newer message was sent at ${newer.at}. Use the link in that one.`
        : `A newer link was created at ${newer.at}. Use that one.`
    case 'withdrawn':
      return 'It was withdrawn.'
    case 'password_changed':
      return 'The password was changed after it was sent.'
    case 'email_changed':
      return 'The email address was changed after it was sent.'
    case 'signed_in':
      return 'You have signed in since it was sent, so you did not need it any more.'
    case 'disabled':
    case 'deleted':
      return 'The account was disabled after it was sent.'
    default:
      return 'It has expired.'
  }
}

function whatNow(purpose: Purpose): string {
  if (purpose === 'invitation') return 'If you have no password yet, ask an administrator for a new invitation.'
  if (purpose === 'verification') return 'Sign in to request a new one.'
  return 'If you still need a new password, request another link on the sign-in page.'
}
