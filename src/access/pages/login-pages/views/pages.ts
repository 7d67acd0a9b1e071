/** The content of the sign-in pages. routes.ts decides which one is shown. */
import { type Html, html, type Text, withoutTags } from '../../../../lib/html.ts'
import { directionOf } from '../../../../lib/language-tags.ts'
import type { Texts } from '../../page-texts/service.ts'
import { type Acting, actingBar, actingStyles } from './acting-bar.ts'
import { foot, iconLink, type Look, productLine } from './look.ts'

/** Shared by all pages. `up` is the relative path from the page to their common folder, `''` or `'../'`. */
export type Frame = {
  productName: string
  up: string
  assets: string
  t: Texts
  /** The same page in other languages. */
  languages: readonly { language: string; name: string; href: string }[]
  /** Set if an administrator acts as the user. */
  acting?: Acting | undefined
  /** Undefined: the usual one. */
  look?: Look | undefined
}
/** A finished page, and its language. */
export type Page = { html: string; language: string }
export type Person = { name: string; username: string }
/** `at` is the id of the field concerned. */
export type Message = { title: Text; detail: Text; at?: string }

type SignIn = {
  username?: string
  returnTo: string | undefined
  fault?: Message
  /** No administrator can sign in yet. */
  lacksAdministrator?: boolean
  /** Users can request a link for a new password. */
  canReset: boolean
  /** People without an account can ask for one. */
  canRequestAccess: boolean
  /** Users can sign in with a code by email. */
  canGetCode?: boolean
  /** Other ways of signing in. */
  buttons?: Html
  passkey?: Html | undefined
  /** Asks for the name alone: it may belong to a company, which asks for the rest. */
  isNameOnly?: boolean
}

export function signInPage(
  frame: Frame,
  {
    username = '',
    returnTo,
    fault,
    lacksAdministrator = false,
    canReset,
    canRequestAccess,
    canGetCode = false,
    buttons,
    passkey,
    isNameOnly,
  }: SignIn,
): Page {
  const { t } = frame
  const described = fault && html` aria-describedby="message" aria-invalid="true"`
  const focus = html` autofocus`
  return page(
    frame,
    { title: t.signIn.title, fault, note: lacksAdministrator ? t.signIn.firstAdministrator : undefined },
    html`
<form method="post" action="${frame.up}login">
${hiddenReturnTo(returnTo)}<div class="field">
<label for="username">${t.fields.username}</label>
<div class="control"><input id="username" name="username" type="text" dir="auto" value="${username}" autocomplete="username${passkey && ' webauthn'}"
 autocapitalize="none" autocorrect="off" spellcheck="false" required${username === '' ? focus : ''}${described}></div>
</div>
${isNameOnly ? '' : passwordField(t.fields.password, html`${username === '' ? '' : focus}${described}`)}<button class="action" type="submit">${isNameOnly ? t.page.continue : t.signIn.submit}</button>
</form>
${passkey}${canGetCode ? emailCodeLink(frame, returnTo, t.emailCode.offer) : ''}${buttons}<p class="foot quiet small">${canReset ? html`<a href="${frame.up}forgot-password">${t.signIn.forgot}</a>` : t.signIn.forgotAsk}</p>${
      canRequestAccess
        ? html`
<p class="quiet small"><a href="${frame.up}request-access">${t.requestAccess.offer}</a></p>`
        : ''
    }`,
  )
}

export function emailCodeLink({ up }: Frame, returnTo: string | undefined, label: string): Html {
  return html`<a class="action second" href="${withReturnTo(`${up}email-code`, returnTo)}">${label}</a>\n`
}

function passwordField(label: string, attributes: Html): Html {
  return html`<div class="field">
<label for="password">${label}</label>
<div class="control"><input id="password" name="password" type="password" autocomplete="current-password"
 required${attributes}></div>
</div>
`
}

export function signedInPage(
  frame: Frame,
  {
    person,
    productUrl,
    note,
    canLink,
    hasPassword,
  }: {
    person: Person
    productUrl: string | undefined
    note: string | undefined
    canLink: boolean
    /** One that the user may use, and so change. */
    hasPassword: boolean
  },
): Page {
  const { t } = frame
  return page(
    frame,
    { title: t.signedIn.title, note },
    html`
<p class="quiet">${t.page.nameOf(person)}</p>
${productUrl === undefined ? '' : html`<a class="action" href="${productUrl}">${t.signedIn.toProduct(frame.productName)}</a>\n`}
<a class="action second" href="${frame.up}account">${t.account.title}</a>
${hasPassword ? html`<a class="action second" href="${frame.up}change-password">${t.signedIn.changePassword}</a>\n` : ''}${canLink ? html`<a class="action second" href="${frame.up}link">${t.signedIn.linkedAccounts}</a>\n` : ''}${signOutForm(frame)}`,
  )
}

export function signOutPage(
  frame: Frame,
  { person, returnTo }: { person: Person; returnTo: string | undefined },
): Page {
  const { t } = frame
  return page(
    frame,
    { title: t.signOut.title },
    html`
<p class="quiet">${t.page.signedInAs(t.page.nameOf(person))}</p>
<form method="post" action="${frame.up}logout">
${hiddenReturnTo(returnTo)}<button class="action" type="submit">${t.signOut.submit}</button>
</form>
<a class="action second" href="${returnTo ?? `${frame.up}login`}">${t.signOut.stay}</a>`,
  )
}

export function signedOutPage(frame: Frame, { returnTo }: { returnTo: string | undefined }): Page {
  const { t } = frame
  return page(
    frame,
    { title: t.signOut.done },
    html`
<p class="quiet">${t.signOut.doneDetail}</p>
<a class="action" href="${withReturnTo(`${frame.up}login`, returnTo)}">${t.signOut.again}</a>`,
  )
}

export type PasswordFaults = { message?: Message; current?: Text; chosen?: Text; repeated?: Text }

/** For a user whose password a connection refuses: it could not be changed. */
export function noPasswordPage(frame: Frame): Page {
  const { title, detail } = frame.t.links.needNoPassword
  return page(
    frame,
    { title },
    html`
<p>${detail}</p>
<a class="action" href="${frame.up}login">${frame.t.page.continue}</a>`,
  )
}

export function changePasswordPage(
  frame: Frame,
  options: { person: Person; isRequired: boolean; returnTo: string | undefined; faults: PasswordFaults },
): Page {
  const { t } = frame
  const { person, isRequired, returnTo, faults } = options
  const { current, chosen, repeated } = faults
  const why = isRequired ? t.changePassword.required : t.page.signedInAs(person.username)
  return page(
    frame,
    { title: isRequired ? t.changePassword.titleRequired : t.changePassword.title, fault: summaryOf(t, faults) },
    html`
<p class="quiet">${why}</p>
<form method="post" action="${frame.up}change-password">
${hiddenReturnTo(returnTo)}<input type="text" value="${person.username}" autocomplete="username" readonly hidden>
<div class="field">
<label for="current-password">${t.fields.currentPassword}</label>
<div class="control"><input id="current-password" name="current_password" type="password"
 autocomplete="current-password" required${describedBy('current-fault', current)}></div>
${faultAt('current-fault', current)}</div>
${newPasswordFields(t, { chosen, repeated })}<button class="action" type="submit">${t.changePassword.submit}</button>
</form>
<p class="foot quiet small">${t.changePassword.consequence}</p>${isRequired ? signOutForm(frame) : ''}`,
  )
}

function summaryOf(t: Texts, { message, current, chosen, repeated }: PasswordFaults): Message | undefined {
  const title = t.changePassword.failed
  if (current !== undefined) return { title, detail: current, at: 'current-password' }
  if (chosen !== undefined) return { title, detail: chosen, at: 'new-password' }
  return repeated === undefined ? message : { title, detail: repeated, at: 'new-password-again' }
}

export function signOutForm({ up, t }: Frame): Html {
  return html`<form class="beside" method="post" action="${up}logout">
<button class="action second" type="submit">${t.signOut.submit}</button>
</form>
`
}

/** A new password, and without scripts the same once more. */
export function newPasswordFields(
  { fields }: Texts,
  { chosen, repeated, focus }: { chosen: Text | undefined; repeated: Text | undefined; focus?: Html },
): Html {
  return html`<div class="field">
<label for="new-password">${fields.newPassword}</label>
<div class="control"><input id="new-password" name="new_password" type="password" autocomplete="new-password"
 minlength="15" required${focus}${describedBy('new-fault', chosen, 'new-hint')}></div>
${faultAt('new-fault', chosen)}<p id="new-hint">${fields.newPasswordHint}</p>
</div>
<noscript><div class="field">
<label for="new-password-again">${fields.newPasswordAgain}</label>
<div class="control"><input id="new-password-again" name="new_password_again" type="password"
 autocomplete="new-password" required${describedBy('again-fault', repeated)}></div>
${faultAt('again-fault', repeated)}</div></noscript>
`
}

type Problem = Message & { requestId: string; languages?: boolean }

/** @param problem `languages` if the page can be loaded again */
export function problemPage(frame: Frame, { title, detail, requestId, languages = false }: Problem): Page {
  const { t, up } = frame
  const action = html`<a class="action" href="${up}login">${t.page.toSignIn}</a>`
  return refusal(frame, { title, isProblem: true, isOnce: !languages }, { detail, action, requestId })
}

/** Replaces a page of the product when the user has nothing to fix. */
export function insteadOfProductPage(frame: Frame, { title, detail, requestId }: Problem): Page {
  const action = html`<a class="action" href="">${frame.t.page.tryAgain}</a>`
  return refusal(frame, { title, isProblem: true, isOnce: true }, { detail, action, requestId })
}

type Refusal = { detail: Text; action: Html; requestId: string }

export function refusal(frame: Frame, heading: Heading, { detail, action, requestId }: Refusal): Page {
  return page(
    frame,
    heading,
    html`
<p>${detail}</p>
${action}
<p class="foot quiet small">${frame.t.page.quote(requestId)}</p>`,
  )
}

/** A link to `path` that keeps the place to return to. */
export function withReturnTo(path: string, returnTo: string | undefined): string {
  return returnTo === undefined ? path : `${path}?return_to=${encodeURIComponent(returnTo)}`
}

type Heading = {
  title: Text
  fault?: Message | undefined
  note?: Text | undefined
  isProblem?: boolean
  /** It cannot be loaded again in another language: it shows codes once, or belongs to a step of a form. */
  isOnce?: boolean
  /** Wider, with sections. */
  isAccount?: boolean
  /** With numbered steps. */
  isSetup?: boolean
}

export function page(frame: Frame, heading: Heading, content: Html): Page {
  const { title, fault, note, isProblem, isOnce, isAccount, isSetup } = heading
  const { productName, assets, t } = frame
  // Screen readers read the title first.
  const said = fault === undefined && !isProblem ? title : t.page.error(title)
  const { language, show, hide, showField, hideField } = t.page
  const document = html`<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${withoutTags(said)} · ${productName}</title>
${iconLink(frame)}
<link rel="stylesheet" href="${assets}/login.css">
${frame.look?.styles}${isAccount ? html`<link rel="stylesheet" href="${assets}/account.css">\n` : ''}${isSetup ? html`<link rel="stylesheet" href="${assets}/setup.css">\n` : ''}${actingStyles(frame)}<script defer src="${assets}/login.js" data-show="${show}" data-hide="${hide}" data-show-field="${showField}" data-hide-field="${hideField}"></script>
</head>
<body>
${actingBar(frame)}<main>
${productLine(frame)}
<h1>${title}</h1>
${fault && alert(fault)}${note && html`<p class="message note" role="status">${note}</p>`}
${content}
</main>
${foot(frame, isOnce ? html`` : languageLinks(frame))}</body>
</html>
`
  return { html: document.text, language }
}

function languageLinks({ t, languages }: Frame): Html {
  if (languages.length < 2) return html``
  const links = languages.map(({ language, name, href }) =>
    language === t.page.language
      ? html`<span lang="${language}" aria-current="true">${name}</span>`
      : html`<a lang="${language}" hreflang="${language}" dir="${directionOf(language)}" href="${href}">${name}</a>`,
  )
  const list = links.reduce((before, link) => html`${before}<li>${link}</li>\n`, html``)
  return html`<nav aria-label="${t.page.languages}">
<ul class="languages small">
${list}</ul>
</nav>
`
}

function alert({ title, detail, at }: Message): Html {
  const message = at === undefined ? detail : html`<a href="#${at}">${detail}</a>`
  return html`<p class="message fault" id="message" role="alert"><strong>${title}</strong> ${message}</p>`
}

export function hiddenReturnTo(returnTo: string | undefined): Html {
  return returnTo === undefined ? html`` : html`<input type="hidden" name="return_to" value="${returnTo}">\n`
}

export function describedBy(faultId: string, fault: Text | undefined, hintId?: string): Html {
  const ids = [...(fault === undefined ? [] : [faultId]), ...(hintId === undefined ? [] : [hintId])]
  const invalid = fault === undefined ? '' : html` aria-invalid="true"`
  return ids.length === 0 ? html`` : html` aria-describedby="${ids.join(' ')}"${invalid}`
}

export function faultAt(id: string, fault: Text | undefined): Html {
  return fault === undefined ? html`` : html`<p class="problem" id="${id}">${fault}</p>\n`
}

/** A button that copies the codes in an element, beside `others`. Without scripts there is none. */
export function copyParts({ t, assets }: Frame, id: string, others: Html = html``): Html {
  const { copy, copied, selected } = t.recoveryCodes
  return html`<div class="ways">
${others}<button class="action second" type="button" data-copies="${id}" data-copied="${copied}" data-selected="${selected}" hidden>${copy}</button>
</div>
<p class="quiet small" id="${id}-copied" role="status"></p>
<script defer src="${assets}/copy.js"></script>
`
}
