/** The buttons for connections, and the page for a sign-in that did not succeed. */

import { type Html, html, type Text } from '../../../../lib/html.ts'
import type { Identity, SignInTrial } from '../../../providers/connections/schema.ts'
import { type ClaimNote, noteParts, type Reason } from '../../../providers/connections/service.ts'
import { refusalStatuses } from '../../../sign-in/company-sign-in/service.ts'
import type { TestDetails, Texts } from '../../page-texts/service.ts'
import { type Frame, hiddenReturnTo, type Message, type Page, page, refusal, withReturnTo } from './pages.ts'

export type Button = { connection_id: string; name: string }

/** The connection that was used last in this browser comes first. */
export function connectionButtons(
  { up, t }: Frame,
  buttons: readonly Button[],
  { returnTo, lastUsed }: { returnTo: string | undefined; lastUsed: string | undefined },
): Html {
  const isLast = ({ connection_id }: Button) => Number(connection_id === lastUsed)
  return buttons
    .toSorted((a, b) => isLast(b) - isLast(a))
    .reduce((before, { connection_id, name }) => {
      const place = returnTo === undefined ? '' : `&return_to=${encodeURIComponent(returnTo)}`
      return html`${before}<a class="action second" href="${up}login?connection=${connection_id}${place}">${t.company.continueWith(name)}</a>\n`
    }, html``)
}

/** On the page where a signed-in user confirms who they are. */
export function confirmationButtons(
  { up, t }: Frame,
  identities: readonly Identity[],
  { returnTo, isNew }: { returnTo: string | undefined; isNew: boolean },
): Html {
  const names = new Map(identities.map(({ connection_id, connection_name }) => [connection_id, connection_name]))
  const place = returnTo === undefined ? '' : `&return_to=${encodeURIComponent(returnTo)}`
  return [...names].reduce(
    (before, [id, name]) =>
      html`${before}<a class="action second" href="${up}login?connection=${id}${isNew ? '&again' : '&confirm'}${place}">${isNew ? t.company.signInAgainWith(name) : t.company.confirmWith(name)}</a>\n`,
    html``,
  )
}

/** What is linked, and what may be. */
export function linkAccountPage(
  frame: Frame,
  linking: { username: string; identities: readonly Identity[]; buttons: readonly Button[]; isLinked: boolean },
): Page {
  const { t, up } = frame
  const { username, identities, buttons, isLinked } = linking
  const note = isLinked ? t.company.nowLinked : undefined
  const linked = identities.reduce(
    (before, { connection_name, email, subject }) =>
      html`${before}<p>${t.company.linked(connection_name, email ?? subject)}</p>\n`,
    html``,
  )
  const forms = buttons.reduce(
    (before, { connection_id, name }) => html`${before}<form class="beside" method="post" action="${up}link">
<input type="hidden" name="connection_id" value="${connection_id}">
<button class="action second" type="submit">${t.company.link(name)}</button>
</form>\n`,
    html``,
  )
  const none = buttons.length === 0 ? html`<p>${t.company.none}</p>\n` : ''
  const content = html`
<p class="quiet">${t.company.linkIntro(username)}</p>
${linked}${none}${forms}<a class="action second" href="${up}login">${t.page.back}</a>`
  return page(frame, { title: t.company.linkTitle, note }, content)
}

/** A redirect would not do: browsers apply `form-action` to what follows a form, and the provider may lead anywhere. */
export function toProviderPage(frame: Frame, { href, detail }: { href: string; detail: Text }): Page {
  const content = html`
<meta http-equiv="refresh" content="0; url=${href}">
<p class="quiet">${detail}</p>
<a class="action" href="${href}">${frame.t.page.continue}</a>`
  return page(frame, { title: frame.t.page.oneMoment, isOnce: true }, content)
}

/** Posts to its own address what another site's form brought. The script does it at once; without it the user presses. */
export function postAgainPage(frame: Frame, fields: Readonly<Record<string, string>>): Page {
  const inputs = Object.entries(fields).reduce(
    (before, [name, value]) => html`${before}<input type="hidden" name="${name}" value="${value}">\n`,
    html``,
  )
  const content = html`
<form method="post" data-at-once>
${inputs}<button class="action" type="submit">${frame.t.page.continue}</button>
</form>`
  return page(frame, { title: frame.t.page.oneMoment, isOnce: true }, content)
}

/** Asks for the password that a connection checks. */
export function passwordPage(
  frame: Frame,
  prompt: {
    connection: Button
    username: string
    purpose: string
    returnTo: string | undefined
    fault?: Message | undefined
  },
): Page {
  const { t } = frame
  const { connection, username, purpose, returnTo, fault } = prompt
  const described = fault && html` aria-describedby="message" aria-invalid="true"`
  const focus = html` autofocus`
  const content = html`
<form method="post" action="${frame.up}login">
${hiddenReturnTo(returnTo)}<input type="hidden" name="connection_id" value="${connection.connection_id}">
<input type="hidden" name="purpose" value="${purpose}">
<div class="field">
<label for="username">${t.company.usernameAt(connection.name)}</label>
<div class="control"><input id="username" name="username" type="text" dir="auto" value="${username}" autocomplete="username"
 autocapitalize="none" autocorrect="off" spellcheck="false" required${username === '' ? focus : ''}${described}></div>
</div>
<div class="field">
<label for="password">${t.fields.password}</label>
<div class="control"><input id="password" name="password" type="password" autocomplete="current-password"
 required${username === '' ? '' : focus}${described}></div>
</div>
<button class="action" type="submit">${t.signIn.submit}</button>
</form>
<a class="action second" href="${withReturnTo(`${frame.up}login`, returnTo)}">${t.company.otherWay}</a>`
  return page(frame, { title: t.company.signInWith(connection.name), fault }, content)
}

type Refused = {
  /** The path of the page for links. */
  linkPath?: string
  reason: Reason
  connection?: { connection_id: string; name: string } | undefined
  returnTo?: string | undefined
  requestId: string
  /** The path of the setup that the browser may have come from, below the pages' folder. */
  setup?: string | undefined
}

export function refusedPage(
  frame: Frame,
  { reason, connection, returnTo, requestId, linkPath, setup }: Refused,
): { page: Page; status: number } {
  const { t, up } = frame
  const { title, detail } = t.reasons[reason]
  const linkAt = ['not_linked', 'link_required'].includes(reason) ? linkPath : undefined
  const place = returnTo === undefined ? '' : `&return_to=${encodeURIComponent(returnTo)}`
  const again =
    connection === undefined
      ? html``
      : html`\n<a class="action second" href="${up}login?connection=${connection.connection_id}${place}">${t.company.tryAgainWith(connection.name)}</a>`
  const action = html`<a class="action" href="${withReturnTo(`${up}login`, linkAt ?? returnTo)}">${linkAt === undefined ? t.page.toSignIn : t.company.signInAndLink}</a>${again}${setup === undefined ? '' : html`\n<a class="action second" href="${up}${setup}">${t.setup.company.toSetup}</a>`}`
  const heading = { title, isProblem: true, isOnce: true }
  return { page: refusal(frame, heading, { detail, action, requestId }), status: refusalStatuses[reason] }
}

/** The result of a test sign-in, claim by claim. */
export function testedPage(
  frame: Frame,
  { name, trial, requestId }: { name: string; trial: SignInTrial; requestId: string },
): Page {
  const { page: texts, test } = frame.t
  const { outcome, reason, detail, claims, user, mapped } = trial
  const isRefused = outcome === 'refused'
  const explained = explainedIn(frame.t, reason, detail)
  const facts = [
    [test.connection, name],
    ...(reason === undefined ? [] : [[test.reason, reason]]),
    ...(user === undefined
      ? []
      : [
          [test.username, user.username],
          [test.email, user.email],
          [test.name, `${user.first_name} ${user.last_name}`.trim()],
        ]),
    ...(mapped === undefined
      ? []
      : [
          [test.role, mapped.role],
          [test.groups, String(mapped.groups.length)],
          [test.attributes, Object.keys(mapped.attributes).join(', ')],
        ]),
  ].filter((fact): fact is [string, string] => fact[1] !== '' && fact[1] !== '0')
  const factRows = facts.reduce(
    (before, [label, value]) => html`${before}<dt>${label}</dt><dd>${texts.value(value)}</dd>\n`,
    html``,
  )
  const content = html`
<p class="message ${isRefused ? 'fault' : 'note'}" role="status"><strong>${test.outcomes[outcome]}</strong> ${explained}</p>
<dl class="facts">
${factRows}</dl>
${claimsTable(frame, claims)}<p class="foot quiet small">${test.foot(requestId)}</p>`
  return page(frame, { title: test.title, isOnce: true }, content)
}

/** What arrived in a test sign-in, claim by claim. */
export function claimsTable({ t }: Pick<Frame, 't'>, claims: SignInTrial['claims']): Html {
  const { test } = t
  const claimRows = claims.reduce(
    (before, { claim, value, notes }) =>
      html`${before}<tr><th scope="row"><code>${claim}</code></th><td>${
        value === null ? html`<span class="quiet">${test.missing}</span>` : html`<code>${value}</code>`
      }<br><span class="quiet">${notesIn(t, notes)}</span></td></tr>\n`,
    html``,
  )
  return claims.length === 0
    ? html`<p class="quiet">${test.nothing}</p>\n`
    : html`<table class="claims">
<caption>${test.caption}</caption>
<thead><tr><th scope="col">${test.claim}</th><th scope="col">${test.meaning}</th></tr></thead>
<tbody>
${claimRows}</tbody>
</table>\n`
}

/** Why, in the words of the page. The details of a protocol are in English, as in the API. */
export function explainedIn({ test }: Texts, reason: string | undefined, detail: string): Html | string {
  return isExplained(test.details, reason) ? test.details[reason] : html`<span lang="en" dir="ltr">${detail}</span>`
}

function notesIn({ page: { value }, test }: Texts, notes: readonly ClaimNote[]): Html {
  return notes.reduce((before, note, i) => {
    const parts = noteParts(test.notes, note).map((part, place) => (place % 2 === 0 ? html`${part}` : value(part)))
    return parts.reduce((all, part) => html`${all}${part}`, i === 0 ? before : html`${before} `)
  }, html``)
}

function isExplained(details: TestDetails, reason: string | undefined): reason is keyof TestDetails {
  return reason !== undefined && Object.hasOwn(details, reason)
}
