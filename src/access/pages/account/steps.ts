/** The pages behind the account page: each asks for one change, and keeps what was typed when it is refused. */
import { builtInPermissions, everythingLimited, limitedPermissions } from '../../../core/permissions.ts'
import { type Html, html, type Text } from '../../../lib/html.ts'
import type { Factor } from '../../credentials/factors/schema.ts'
import type { Identity } from '../../providers/connections/schema.ts'
import { copyParts, type Frame, hiddenReturnTo, type Page, page } from '../login-pages/service.ts'
import { type Faults, summaryOf } from './faults.ts'
import { selectField, textField } from './fields.ts'
import { permissionFields } from './permission-fields.ts'
import { accountPath, hiddenFields } from './view.ts'

export type Step = {
  returnTo: string | undefined
  faults: Faults
  /** What was typed before, here or before a confirmation. */
  typed: Readonly<Record<string, string | undefined>>
}

export function addressPage(
  frame: Frame,
  { returnTo, faults, typed, email, hasMail }: Step & { email: string | null; hasMail: boolean },
): Page {
  const { t } = frame
  const words = t.account.address
  const hint = hasMail ? words.confirmHint : words.atOnceHint
  return stepPage(frame, {
    title: email === null ? words.set : words.change,
    returnTo,
    faults,
    content: html`${email === null ? '' : html`<p class="quiet">${t.page.value(email)}</p>\n`}<form method="post" action="${accountPath(frame, '/address', {})}">
${hiddenReturnTo(returnTo)}${textField({ name: 'email', label: words.newAddress, value: typed.email ?? '', faults, autocomplete: 'email', maxLength: 254, hint: email === null ? hint : html`${hint} ${words.removeHint}` })}${textField({ name: 'current_password', label: t.fields.currentPassword, value: '', faults, type: 'password', autocomplete: 'current-password', hint: words.passwordHint })}<button class="action" type="submit">${t.account.save}</button>
</form>
`,
  })
}

export function factorPage(frame: Frame, { returnTo, faults, typed, factor }: Step & { factor: Factor }): Page {
  const { t } = frame
  const words = t.account.factors
  const { factor_id, name } = factor
  const fields = hiddenFields({ factor_id })
  return stepPage(frame, {
    title: words.changeTitle,
    returnTo,
    faults,
    content: html`<form method="post" action="${accountPath(frame, '/factor', {})}">
${hiddenReturnTo(returnTo)}${fields}${textField({ name: 'name', label: words.name, value: typed.name ?? name, faults, maxLength: 64, isRequired: true })}<button class="action" type="submit">${t.account.save}</button>
</form>
<form method="post" action="${accountPath(frame, '/factor/removal', {})}">
${hiddenReturnTo(returnTo)}${fields}<p>${words.removeWhy(name)}</p>
<button class="action second" type="submit">${t.account.remove}</button>
</form>
`,
  })
}

export function unlinkPage(frame: Frame, { returnTo, faults, identity }: Step & { identity: Identity }): Page {
  const { t } = frame
  const words = t.account.linked
  const { identity_id, connection_name, email, subject } = identity
  return stepPage(frame, {
    title: words.unlinkTitle,
    returnTo,
    faults,
    content: html`<p><strong>${t.page.value(email ?? subject)}</strong></p>
<p>${words.unlinkWhy(connection_name)}</p>
<form method="post" action="${accountPath(frame, '/linked', {})}">
${hiddenReturnTo(returnTo)}${hiddenFields({ identity_id })}<button class="action" type="submit">${words.unlink}</button>
</form>
`,
  })
}

/** For how many days a new key works, and no end. */
const keyDays = [30, 90, 365]

export function keyPage(
  frame: Frame,
  { returnTo, faults, typed, permissions }: Step & { permissions: readonly string[] },
): Page {
  const { t } = frame
  const words = t.account.keys
  const days = [
    ...keyDays.map((one) => ({ value: String(one), text: words.days(one) })),
    { value: '', text: words.never },
  ]
  const mayTick = permissions.includes('*') ? builtInPermissions : spelledOut(permissions)
  return stepPage(frame, {
    title: words.add,
    returnTo,
    faults,
    content: html`<form method="post" action="${accountPath(frame, '/key', {})}">
${hiddenReturnTo(returnTo)}${textField({ name: 'name', label: words.name, value: typed.name ?? '', faults, hint: words.nameHint, maxLength: 128, isRequired: true })}${permissionFields({ t, permissions: mayTick, faults, typed })}${selectField({ name: 'days', label: words.expiry, value: typed.days ?? '90', faults, choices: days })}<button class="action" type="submit">${words.add}</button>
</form>
`,
  })
}

/** With a word for each that `*@organization` includes. */
function spelledOut(permissions: readonly string[]): readonly string[] {
  if (!permissions.includes(everythingLimited)) return permissions
  const words = new Set([...permissions, ...limitedPermissions])
  words.delete(everythingLimited)
  return [...words]
}

export function newKeyPage(frame: Frame, { returnTo, key }: { returnTo: string | undefined; key: string }): Page {
  const { t } = frame
  const words = t.account.keys
  return page(
    frame,
    { title: words.createdTitle, isOnce: true },
    html`
<p>${words.keep}</p>
<p id="key"><code class="key">${key}</code></p>
${copyParts(frame, 'key')}<a class="action" href="${accountPath(frame, '', { return_to: returnTo })}">${t.account.toAccount}</a>`,
  )
}

export function deletionPage(frame: Frame, { returnTo, faults, graceDays }: Step & { graceDays: number }): Page {
  const words = frame.t.account.deletion
  return stepPage(frame, {
    title: words.confirmTitle,
    returnTo,
    faults,
    content: html`<p>${words.why}</p>
<p>${words.undo(graceDays)}</p>
<form method="post" action="${accountPath(frame, '/deletion', {})}">
${hiddenReturnTo(returnTo)}<button class="action" type="submit">${words.submit}</button>
</form>
`,
  })
}

export function deletedPage(frame: Frame, { graceDays }: { graceDays: number }): Page {
  const words = frame.t.account.deletion
  return page(frame, { title: words.done, isOnce: true }, html`\n<p>${words.undo(graceDays)}</p>`)
}

type Content = { title: Text; returnTo: string | undefined; faults: Faults; content: Html }

function stepPage(frame: Frame, { title, returnTo, faults, content }: Content): Page {
  const { t } = frame
  const back = accountPath(frame, '', { return_to: returnTo })
  return page(
    frame,
    { title, fault: summaryOf(t, faults) },
    html`
${content}<a class="action second" href="${back}">${t.account.cancel}</a>`,
  )
}
