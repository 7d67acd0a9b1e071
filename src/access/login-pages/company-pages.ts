/** The buttons for connections, and the page for a sign-in that did not succeed. */
import type { Reason } from '../company-sign-in/service.ts'
import type { Identity, SignInTrial } from '../connections/schema.ts'
import { type Html, html } from './html.ts'
import { type Frame, hiddenReturnTo, type Message, page, withReturnTo } from './pages.ts'

export type Button = { connection_id: string; name: string }

/** The connection that was used last in this browser comes first. */
export function connectionButtons(
  { up }: Frame,
  buttons: readonly Button[],
  { returnTo, lastUsed }: { returnTo: string | undefined; lastUsed: string | undefined },
): Html {
  const isLast = ({ connection_id }: Button) => Number(connection_id === lastUsed)
  return buttons
    .toSorted((a, b) => isLast(b) - isLast(a))
    .reduce((before, { connection_id, name }) => {
      const place = returnTo === undefined ? '' : `&return_to=${encodeURIComponent(returnTo)}`
      return html`${before}<a class="action second" href="${up}login?connection=${connection_id}${place}">Continue with ${name}</a>\n`
    }, html``)
}

/** On the page where a signed-in user confirms who they are. */
export function confirmationButtons(
  { up }: Frame,
  identities: readonly Identity[],
  { returnTo, isNew }: { returnTo: string | undefined; isNew: boolean },
): Html {
  const names = new Map(identities.map(({ connection_id, connection_name }) => [connection_id, connection_name]))
  const place = returnTo === undefined ? '' : `&return_to=${encodeURIComponent(returnTo)}`
  return [...names].reduce(
    (before, [id, name]) =>
      html`${before}<a class="action second" href="${up}login?connection=${id}${isNew ? '&again' : '&confirm'}${place}">${isNew ? 'Sign in again' : 'Confirm'} with ${name}</a>\n`,
    html``,
  )
}

/** What is linked, and what may be. */
export function linkAccountPage(
  frame: Frame,
  linking: { username: string; identities: readonly Identity[]; buttons: readonly Button[]; isLinked: boolean },
): string {
  const { username, identities, buttons, isLinked } = linking
  const note = isLinked ? 'The account is linked. You can sign in with it from now on.' : undefined
  const linked = identities.reduce(
    (before, { connection_name, email, subject }) =>
      html`${before}<p>Linked: <strong>${connection_name}</strong>, ${email ?? subject}</p>\n`,
    html``,
  )
  const forms = buttons.reduce(
    (before, { connection_id, name }) => html`${before}<form class="beside" method="post" action="${frame.up}link">
<input type="hidden" name="connection_id" value="${connection_id}">
<button class="action second" type="submit">Link an account of ${name}</button>
</form>\n`,
    html``,
  )
  const none = buttons.length === 0 ? html`<p>There is no company whose accounts can be linked.</p>\n` : ''
  const content = html`
<p class="quiet">You are signed in as ${username}. With a linked account you can sign in without your password.</p>
${linked}${none}${forms}<a class="action second" href="${frame.up}login">Back</a>`
  return page(frame, { title: 'Linked accounts', note }, content)
}

/** A redirect would not do: browsers apply `form-action` to what follows a form, and the provider may lead anywhere. */
export function toProviderPage(frame: Frame, { href, detail }: { href: string; detail: string }): string {
  const content = html`
<meta http-equiv="refresh" content="0; url=${href}">
<p class="quiet">${detail}</p>
<a class="action" href="${href}">Continue</a>`
  return page(frame, { title: 'One moment' }, content)
}

/** Posts to its own address what another site's form brought. The script does it at once; without it the user presses. */
export function postAgainPage(frame: Frame, fields: Readonly<Record<string, string>>): string {
  const inputs = Object.entries(fields).reduce(
    (before, [name, value]) => html`${before}<input type="hidden" name="${name}" value="${value}">\n`,
    html``,
  )
  const content = html`
<form method="post" data-at-once>
${inputs}<button class="action" type="submit">Continue</button>
</form>`
  return page(frame, { title: 'One moment' }, content)
}

/** Asks for the password that a connection checks. */
export function passwordPage(
  frame: Frame,
  asked: {
    connection: Button
    username: string
    purpose: string
    returnTo: string | undefined
    fault?: Message | undefined
  },
): string {
  const { connection, username, purpose, returnTo, fault } = asked
  const described = fault && html` aria-describedby="message" aria-invalid="true"`
  const focus = html` autofocus`
  const content = html`
<form method="post" action="${frame.up}login">
${hiddenReturnTo(returnTo)}<input type="hidden" name="connection_id" value="${connection.connection_id}">
<input type="hidden" name="purpose" value="${purpose}">
<div class="field">
<label for="username">Username or email address at ${connection.name}</label>
<div class="control"><input id="username" name="username" type="text" value="${username}" autocomplete="username"
 autocapitalize="none" autocorrect="off" spellcheck="false" required${username === '' ? focus : ''}${described}></div>
</div>
<div class="field">
<label for="password">Password</label>
<div class="control"><input id="password" name="password" type="password" autocomplete="current-password"
 required${username === '' ? '' : focus}${described}></div>
</div>
<button class="action" type="submit">Sign in</button>
</form>
<a class="action second" href="${withReturnTo(`${frame.up}login`, returnTo)}">Sign in another way</a>`
  return page(frame, { title: `Sign in with ${connection.name}`, fault }, content)
}

type Words = { title: string; detail: string; status: number }

const askAdministrator = 'Ask an administrator, and quote the number below.'

/** What the user can do. Why it failed in detail stands on the connection's page. */
const words: Readonly<Record<Reason, Words>> = {
  subject_invalid: { title: 'The sign-in did not work', detail: askAdministrator, status: 403 },
  user_removed: { title: 'You cannot sign in', detail: `Your account was deleted. ${askAdministrator}`, status: 403 },
  user_inactive: { title: 'You cannot sign in', detail: `Your account is disabled. ${askAdministrator}`, status: 403 },
  not_linked: {
    title: 'There is no account for you yet',
    detail: `Sign in with your password if you have one, and link this way of signing in. Otherwise: ${askAdministrator}`,
    status: 403,
  },
  email_invalid: { title: 'There is no account for you yet', detail: askAdministrator, status: 403 },
  email_unverified: {
    title: 'Your email address is not confirmed',
    detail: `Confirm it where you just signed in, then try again. If it is confirmed already: ${askAdministrator}`,
    status: 409,
  },
  link_required: {
    title: 'An account with your email address already exists',
    detail:
      'Sign in the way you usually do, then link this way of signing in. An email address alone does not prove that both are yours.',
    status: 409,
  },
  no_user: { title: 'There is no account for you yet', detail: askAdministrator, status: 403 },
  name_taken: { title: 'The sign-in did not work', detail: askAdministrator, status: 409 },
  identity_taken: {
    title: 'This account is linked to someone else',
    detail: `Choose another account where you sign in. ${askAdministrator}`,
    status: 409,
  },
  other_user: {
    title: 'That was another account',
    detail:
      'Confirm with the account that belongs to the user who is signed in here. Sign out there first if you have several.',
    status: 403,
  },
  used_before: { title: 'The sign-in did not work', detail: 'Start again from the sign-in page.', status: 400 },
  wrong_password: {
    title: 'The username or password is wrong',
    detail: 'Try again, or sign in another way.',
    status: 401,
  },
  provider_unreachable: {
    title: 'This way of signing in does not work right now',
    detail: 'Try again in a moment, or sign in another way.',
    status: 503,
  },
  provider_refused: {
    title: 'You were not signed in',
    detail: 'The sign-in was cancelled, or refused where you sign in. Try again, or sign in another way.',
    status: 403,
  },
  code_refused: { title: 'The sign-in did not work', detail: 'Start again from the sign-in page.', status: 403 },
  token_invalid: { title: 'The sign-in did not work', detail: askAdministrator, status: 403 },
  not_recent: {
    title: 'You were not asked again',
    detail: 'You were signed in there without being asked. Sign out there, then try again.',
    status: 403,
  },
  expired: {
    title: 'This sign-in has expired',
    detail: 'It took too long, or was finished already. Start again from the sign-in page.',
    status: 400,
  },
  other_browser: {
    title: 'This sign-in belongs to another browser',
    detail: 'Start again from the sign-in page, and allow cookies for this site.',
    status: 400,
  },
  inactive: {
    title: 'This way of signing in is switched off',
    detail: 'Choose another one on the sign-in page.',
    status: 404,
  },
  interrupted: {
    title: 'The sign-in did not work',
    detail: `Start again. If it fails again: ${askAdministrator}`,
    status: 409,
  },
}

type Refused = {
  /** The path of the page for links. */
  linkPath?: string
  reason: Reason
  connection?: { connection_id: string; name: string } | undefined
  returnTo?: string | undefined
  requestId: string
}

export function refusedPage(
  frame: Frame,
  { reason, connection, returnTo, requestId, linkPath }: Refused,
): { page: string; status: number } {
  const { title, detail, status } = words[reason]
  const linkAt = ['not_linked', 'link_required'].includes(reason) ? linkPath : undefined
  const place = returnTo === undefined ? '' : `&return_to=${encodeURIComponent(returnTo)}`
  const again =
    connection === undefined
      ? html``
      : html`\n<a class="action second" href="${frame.up}login?connection=${connection.connection_id}${place}">Try again with ${connection.name}</a>`
  const content = html`
<p>${detail}</p>
<a class="action" href="${withReturnTo(`${frame.up}login`, linkAt ?? returnTo)}">${linkAt === undefined ? 'Go to the sign-in page' : 'Sign in and link it'}</a>${again}
<p class="foot quiet small">If you ask for help, quote this number: ${requestId}</p>`
  return { page: page(frame, { title, isProblem: true }, content), status }
}

const outcomeWords: Readonly<Record<SignInTrial['outcome'], string>> = {
  signs_in: 'The user would sign in.',
  links: 'The account would be linked to an existing user, who would sign in.',
  creates: 'A user would be created, and would sign in.',
  refused: 'The sign-in would be refused.',
  reachable: 'The directory can be searched.',
}

/** The result of a test sign-in, claim by claim. */
export function testedPage(
  frame: Frame,
  { name, trial, requestId }: { name: string; trial: SignInTrial; requestId: string },
): string {
  const { outcome, reason, detail, claims, user, mapped } = trial
  const isRefused = outcome === 'refused'
  const facts = [
    ['Connection', name],
    ...(reason === undefined ? [] : [['Reason', reason]]),
    ...(user === undefined
      ? []
      : [
          ['Username', user.username],
          ['Email address', user.email],
          ['Name', `${user.first_name} ${user.last_name}`.trim()],
        ]),
    ...(mapped === undefined
      ? []
      : [
          ['Role', mapped.role],
          ['Groups', String(mapped.groups.length)],
          ['Attributes', Object.keys(mapped.attributes).join(', ')],
        ]),
  ].filter((fact): fact is [string, string] => fact[1] !== '' && fact[1] !== '0')
  const factRows = facts.reduce((before, [label, value]) => html`${before}<dt>${label}</dt><dd>${value}</dd>\n`, html``)
  const claimRows = claims.reduce(
    (before, { claim, value, note }) =>
      html`${before}<tr><th scope="row"><code>${claim}</code></th><td>${
        value === null ? html`<span class="quiet">missing</span>` : html`<code>${value}</code>`
      }<br><span class="quiet">${note}</span></td></tr>\n`,
    html``,
  )
  const table =
    claims.length === 0
      ? html`<p class="quiet">Nothing that could be verified arrived.</p>\n`
      : html`<table class="claims">
<caption>What arrived, claim by claim</caption>
<thead><tr><th scope="col">Claim</th><th scope="col">Value and meaning</th></tr></thead>
<tbody>
${claimRows}</tbody>
</table>\n`
  const content = html`
<p class="message ${isRefused ? 'fault' : 'note'}" role="status"><strong>${outcomeWords[outcome]}</strong> ${detail}</p>
<dl class="facts">
${factRows}</dl>
${table}<p class="foot quiet small">Nothing was changed, and no session was started. The page of the connection keeps this result for 14 days. You can close this tab. Number of the request: ${requestId}</p>`
  return page(frame, { title: 'The test is complete' }, content)
}
