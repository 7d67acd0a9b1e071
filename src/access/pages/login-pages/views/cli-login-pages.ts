/** The content of the pages on which a user approves the sign-in of a command line. */
import { type Html, html, type Text } from '../../../../lib/html.ts'
import { type Frame, type Message, type Page, page } from './pages.ts'

/** Where the user types the code that the command line shows. */
export function userCodePage(frame: Frame, { fault }: { fault?: Message | undefined } = {}): Page {
  const { cliLogin, page: texts } = frame.t
  const described = fault && html` aria-describedby="message" aria-invalid="true"`
  return page(
    frame,
    { title: cliLogin.codeTitle, fault },
    html`
<form method="post" action="${frame.up}cli-login">
<div class="field">
<label for="user-code">${cliLogin.code}</label>
<div class="control"><input id="user-code" name="user_code" type="text" dir="ltr" autocomplete="off" autocapitalize="characters"
 autocorrect="off" spellcheck="false" maxlength="32" required autofocus${described}></div>
<p id="user-code-hint">${cliLogin.codeHint}</p>
</div>
<button class="action" type="submit">${texts.continue}</button>
</form>`,
  )
}

type Consent = {
  username: string
  /** The machine, as it names itself. */
  name: string
  /** Where the request came from, and where this browser is. */
  address: string
  ownAddress: string
  isOtherNetwork: boolean
  requestedAt: string
  keyEndsAt: string
  granted: readonly string[]
  beyond: readonly string[]
  now: number
  /** Where the form goes, and the code that was typed. */
  action: string
  userCode: string | undefined
}

export function consentPage(frame: Frame, consent: Consent): Page {
  const { cliLogin, page: texts } = frame.t
  const { username, name, address, ownAddress, isOtherNetwork, granted, beyond, now, userCode } = consent
  const facts: readonly (readonly [Text, Text])[] = [
    [cliLogin.machine, texts.value(name)],
    [cliLogin.from, html`<bdi>${address}</bdi>`],
    [cliLogin.here, html`<bdi>${ownAddress}</bdi>`],
    [cliLogin.at, cliLogin.moment(consent.requestedAt, now)],
    [cliLogin.may, granted.includes('*') ? cliLogin.everything : permissionList(granted) || cliLogin.nothing],
    ...(beyond.length > 0 ? [[cliLogin.mayNot, permissionList(beyond)] as const] : []),
    [cliLogin.until, cliLogin.moment(consent.keyEndsAt, now)],
  ]
  const rows = facts.reduce((before, [label, value]) => html`${before}<dt>${label}</dt><dd>${value}</dd>\n`, html``)
  return page(
    frame,
    { title: cliLogin.title, isOnce: userCode !== undefined },
    html`
<p>${cliLogin.asks(username)}</p>
<dl class="facts">
${rows}</dl>
${isOtherNetwork ? html`<p class="message fault" role="alert">${cliLogin.otherNetwork}</p>\n` : ''}<p>${cliLogin.onlyIf}</p>
<form method="post" action="${consent.action}">
${userCode === undefined ? '' : html`<input type="hidden" name="user_code" value="${userCode}">\n`}<button class="action" type="submit" name="decision" value="approve">${cliLogin.approve}</button>
<button class="action second" type="submit" name="decision" value="refuse">${cliLogin.refuse}</button>
</form>`,
  )
}

function permissionList(permissions: readonly string[]): Html | '' {
  if (permissions.length === 0) return ''
  return permissions.reduce(
    (before, one, i) => html`${before}${i > 0 ? ', ' : ''}<code><bdi>${one}</bdi></code>`,
    html``,
  )
}

/** After the decision: the user goes back to the command line. */
export function decidedPage(frame: Frame, { isApproved }: { isApproved: boolean }): Page {
  const { cliLogin } = frame.t
  return page(
    frame,
    { title: isApproved ? cliLogin.approvedTitle : cliLogin.refusedTitle, isOnce: true },
    html`
<p>${isApproved ? cliLogin.approvedDetail : cliLogin.refusedDetail}</p>`,
  )
}
