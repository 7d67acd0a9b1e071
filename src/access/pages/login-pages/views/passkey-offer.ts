/** The button for a passkey, with what its script needs. */
import { type Html, html, type Text } from '../../../../lib/html.ts'
import { type Frame, withReturnTo } from './pages.ts'

type Offer = {
  label: string
  returnTo: string | undefined
  /** Where the script asks for options, unless it has them, and where it sends the passkey. */
  start?: string
  options?: string
  finish: string
  /** The user is not known yet: the browser also offers passkeys in the name field. */
  domain?: string
  /** The page has no other way that most users would take. */
  isFirst?: boolean
}

export function passkeyOffer(frame: Frame, offer: Offer): Html {
  const { label, returnTo, start, options, finish, domain, isFirst = false } = offer
  const { up, assets, t } = frame
  const { passkeys } = t
  const data = html`${start && html` data-start="${up}${start}"`}${options && html` data-options="${options}"`}${domain && html` data-domain="${domain}"`}${isFirst ? html` data-first` : ''}`
  return html`<div class="passkey" data-finish="${up}${finish}" data-done="${withReturnTo(`${up}login`, returnTo)}" data-accounts="${up}me/factors"${data}>
<button class="action${isFirst ? '' : ' second'}" type="button" hidden>${label}</button>
${words('cancelled', passkeys.notUsed)}
${words('refused', passkeys.notAccepted)}
${words('expired', { title: passkeys.expired, detail: html`<a href="${withReturnTo(`${up}login`, returnTo)}">${t.page.startAgain}</a>` })}
${words('busy', passkeys.busy)}
${words('unusable', passkeys.unusable)}
</div>
<noscript><p class="foot quiet small">${passkeys.needScripts}</p></noscript>
<script defer src="${assets}/passkey.js"></script>
`
}

type NewPasskey = {
  label: string
  start: string
  finish: string
  done: string
  /** Where the sign-in at `done` leads to afterwards. */
  afterwards?: string
  /** Where users go whose authentication is not recent enough; they come back to this page. */
  confirm?: string
}

/** The button that adds a passkey, with what its script needs. */
export function newPasskeyOffer(
  { assets, t }: Frame,
  { label, start, finish, done, afterwards, confirm }: NewPasskey,
): Html {
  const { passkeys } = t
  return html`<div class="passkey" data-start="${start}" data-finish="${finish}" data-done="${done}"${afterwards && html` data-afterwards="${afterwards}"`}${confirm && html` data-confirm="${confirm}"`}>
<button class="action second" type="button" hidden>${label}</button>
${words('cancelled', passkeys.notAdded)}
${words('known', passkeys.known)}
${words('refused', passkeys.newNotAccepted)}
${words('busy', passkeys.busy)}
${words('unusable', passkeys.cannotMake)}
</div>
<script defer src="${assets}/add-passkey.js"></script>
`
}

function words(name: string, { title, detail }: { title: string; detail: Text }): Html {
  return html`<p class="message fault" role="alert" data-words="${name}" hidden><strong>${title}</strong> ${detail}</p>`
}
