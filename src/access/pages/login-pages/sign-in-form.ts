/** What the form of the sign-in page offers. */
import type { FastifyRequest } from 'fastify'
import type { Config } from '../../../core/config.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { listButtons } from '../../providers/connections/service.ts'
import type { BrowserSignInNeeds } from '../../sign-in/sign-in/service.ts'
import type { CompanyNeeds } from './company.ts'
import type { PageTools } from './tools.ts'
import { connectionButtons } from './views/company-pages.ts'
import type { Frame } from './views/pages.ts'
import { passkeyOffer } from './views/passkey-offer.ts'

export type SignInNeeds = BrowserSignInNeeds &
  CompanyNeeds &
  Pick<HttpLayer, 'config' | 'links' | 'refuseCrossOrigin' | 'contextOf'>

/** What the handlers of the sign-in page need. */
export type SignInPage = { needs: SignInNeeds; tools: PageTools }

export async function formParts(
  { config, cookies, relyingParty, storage }: SignInNeeds,
  request: FastifyRequest,
  { frame, returnTo }: { frame: Frame; returnTo: string | undefined },
) {
  const lastUsed = cookies.lastConnection.read(request)
  const offered = (await listButtons(storage.db, { connection_ids: lastUsed ? [lastUsed] : [] })).filter(
    ({ connection_id, isForDomainsOnly }) => !isForDomainsOnly || connection_id === lastUsed,
  )
  const buttons = connectionButtons(frame, offered, { returnTo, lastUsed })
  const [domain] = relyingParty.ids
  const offer = { label: frame.t.passkeys.signIn, start: 'sessions/passkey-options', finish: 'sessions', returnTo }
  const passkey = domain === undefined ? undefined : passkeyOffer(frame, { ...offer, domain })
  return { ...offersByMail(config), returnTo, buttons, passkey }
}

/** What the form offers by mail. */
export function offersByMail({ smtpUrl, accessRequests, emailCode }: Config) {
  const canReset = smtpUrl !== undefined
  return { canReset, canRequestAccess: canReset && accessRequests === 'on', canGetCode: emailCode === 'on' }
}
