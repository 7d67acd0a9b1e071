/** The content of the pages behind links in messages. links.ts decides which one is shown. */
import type { LinkRow, Purpose } from '../../../../directory/links/service.ts'
import { type Html, html, type Text } from '../../../../lib/html.ts'
import type { Texts } from '../../page-texts/service.ts'
import { codeFields } from './factor-pages.ts'
import { type Frame, type Message, newPasswordFields, type Page, page, problemPage } from './pages.ts'
import { newPasskeyOffer } from './passkey-offer.ts'

export type ChooseFaults = { message?: Message; chosen?: Text; repeated?: Text; code?: Message }

type Choose = {
  purpose: 'invitation' | 'password_reset'
  username: string
  /** The user must use one of these second factors; empty if there are none. */
  methods: readonly string[]
  faults: ChooseFaults
  /** A passkey will do as well. */
  mayUsePasskey: boolean
}

export function choosePasswordPage(frame: Frame, { purpose, username, methods, faults, mayUsePasskey }: Choose): Page {
  const { t } = frame
  const { chosen, repeated } = faults
  const isInvited = purpose === 'invitation'
  const hints = { app: t.links.appCodeHint, recovery: t.links.recoveryCodeHint }
  const title = isInvited ? t.links.welcome(frame.productName) : t.links.setTitle
  return page(
    frame,
    { title, fault: summaryOf(t, faults) },
    html`
<p class="quiet">${isInvited ? t.links.choose(username) : t.links.chooseNew(username)}</p>
<form method="post">
<input type="text" name="username" value="${username}" autocomplete="username" readonly hidden>
${newPasswordFields(t, { chosen, repeated, focus: html` autofocus` })}${methods.length > 0 ? codeFields(t, methods, { fault: faults.code, isFaultBeside: true, hints, focus: html`` }) : ''}<button class="action" type="submit">${t.links.submit}</button>
</form>
${mayUsePasskey ? passkeyInstead(frame) : ''}${isInvited ? '' : html`<p class="foot quiet small">${t.links.signsOut}</p>`}`,
  )
}

/** Prefixed with the page's own path, the only place that contains the secret. */
function passkeyInstead(frame: Frame): Html {
  const paths = {
    start: '@/passkey-options',
    finish: '@/passkey',
    done: `${frame.up}login`,
    afterwards: `${frame.up}recovery-codes`,
  }
  return newPasskeyOffer(frame, { label: frame.t.passkeys.useInstead, ...paths })
}

function summaryOf({ links }: Texts, { message, chosen, repeated, code }: ChooseFaults): Message | undefined {
  const title = links.failed
  if (chosen !== undefined) return { title, detail: chosen, at: 'new-password' }
  if (code !== undefined) return { ...code, title }
  return repeated === undefined ? message : { title, detail: repeated, at: 'new-password-again' }
}

type PasswordSet = {
  purpose: 'invitation' | 'password_reset'
  username: string
  isSignedIn: boolean
  /** Where the user goes on: the sign-in page knows what must be done first. */
  next: string
}

export function passwordSetPage(frame: Frame, { purpose, username, isSignedIn, next }: PasswordSet): Page {
  const { t } = frame
  return page(
    frame,
    { title: purpose === 'invitation' ? t.links.set : t.links.changed, isOnce: true },
    html`
${isSignedIn ? html`<p class="quiet">${t.page.signedInAs(username)}</p>` : ''}
<a class="action" href="${next}">${t.page.continue}</a>`,
  )
}

export function forgotPasswordPage(
  frame: Frame,
  { username = '', fault }: { username?: string; fault?: Message } = {},
): Page {
  const { t } = frame
  const described = fault && html` aria-describedby="message" aria-invalid="true"`
  return page(
    frame,
    { title: t.signIn.forgot, fault },
    html`
<p class="quiet">${t.links.forgotIntro}</p>
<form method="post" action="${frame.up}forgot-password">
<div class="field">
<label for="username">${t.fields.username}</label>
<div class="control"><input id="username" name="username" type="text" dir="auto" value="${username}" autocomplete="username"
 autocapitalize="none" autocorrect="off" spellcheck="false" maxlength="512" required autofocus${described}></div>
</div>
<button class="action" type="submit">${t.links.forgotSubmit}</button>
</form>
<a class="action second" href="${frame.up}login">${t.page.backToSignIn}</a>`,
  )
}

/** The same for names that exist and names that do not. */
export function messageSentPage(frame: Frame): Page {
  const { t } = frame
  return page(
    frame,
    { title: t.links.sent, isOnce: true },
    html`
<p>${t.links.sentDetail}</p>
<p class="quiet">${t.links.sentHelp}</p>
<a class="action second" href="${frame.up}forgot-password">${t.links.tryOther}</a>`,
  )
}

export function withoutMailPage(frame: Frame): Page {
  const { t } = frame
  return page(
    frame,
    { title: t.signIn.forgot },
    html`
<p>${t.links.withoutMail}</p>
<a class="action" href="${frame.up}login">${t.page.backToSignIn}</a>`,
  )
}

export function confirmAddressPage(frame: Frame, email: string): Page {
  const { t } = frame
  return page(
    frame,
    { title: t.links.confirmTitle },
    html`
<p class="quiet">${t.links.confirmDetail(email)}</p>
<form method="post">
<button class="action" type="submit">${t.links.confirmSubmit}</button>
</form>`,
  )
}

export function addressConfirmedPage(frame: Frame, email: string): Page {
  const { t } = frame
  return page(
    frame,
    { title: t.links.confirmed, isOnce: true },
    html`
<p class="quiet">${t.links.confirmedDetail(email)}</p>
<a class="action" href="${frame.up}login">${t.page.continue}</a>`,
  )
}

export function signInFirstPage(frame: Frame): Page {
  const { t } = frame
  return page(
    frame,
    { title: t.links.signInFirst },
    html`
<p>${t.links.signInFirstDetail}</p>
<a class="action" href="${frame.up}login">${t.signIn.submit}</a>`,
  )
}

type Dead = {
  purpose: Purpose
  link: LinkRow | undefined
  /** The link that replaced it. */
  newer: { created_at: string; wasSent: boolean } | undefined
  /** The user is disabled or deleted, and could not follow the usual advice. */
  isClosed: boolean
  /** Whether users can request a link themselves. */
  hasMail: boolean
  now: number
  requestId: string
}

/** What to do with a link that does not work. */
export function deadLinkPage(frame: Frame, { requestId, ...dead }: Dead): Page {
  const { deadLink } = frame.t
  const detail = html`${whyNot(deadLink, dead)} ${adviceOf(deadLink, dead)}`
  return problemPage(frame, { title: deadLink.title, detail, requestId, languages: true })
}

function adviceOf(
  texts: Texts['deadLink'],
  { purpose, isClosed, hasMail }: Pick<Dead, 'purpose' | 'isClosed' | 'hasMail'>,
): Text {
  if (isClosed) return texts.closed
  return purpose === 'password_reset' && !hasMail ? texts.passwordResetWithoutMail : texts[purpose]
}

function whyNot(texts: Texts['deadLink'], { link, newer, now }: Pick<Dead, 'link' | 'newer' | 'now'>): Text {
  if (link === undefined) return texts.unknown
  if (newer?.wasSent) return texts.newerSent(newer.created_at, now)
  if (newer !== undefined) return texts.newerMade(newer.created_at, now)
  return link.ended_reason === null ? texts.expired : texts.why[link.ended_reason]
}
