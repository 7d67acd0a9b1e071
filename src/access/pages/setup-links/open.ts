/** Opens a setup link for each request with it, and answers links that do not work. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  type ClosedSetupLink,
  isUseDue,
  type OpenSetupLink,
  openSetupLink,
  type proofLimiter,
  type SetupFeature,
} from '../../../directory/organizations/service.ts'
import type { LastUseOf } from '../../../directory/provisioning/service.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { refuseWhileDraining } from '../../../http/server/lifecycle.ts'
import { html } from '../../../lib/html.ts'
import type { Prepare, Reach } from '../../providers/connections/service.ts'
import {
  type CompanyNeeds,
  type Frame,
  type OfPage,
  type Page,
  type PageTools,
  page,
  privately,
} from '../login-pages/service.ts'
import type { Texts } from '../page-texts/service.ts'

export type SetupNeeds = CompanyNeeds &
  Pick<HttpLayer, 'contextOf' | 'makeChange' | 'originOf' | 'lifecycle' | 'storage' | 'config' | 'links'> & {
    providers: { prepare: Prepare; reach: Reach }
    lastUseOf: LastUseOf
  }

export type Exchange = {
  request: FastifyRequest
  reply: FastifyReply
  frame: Frame
  t: Texts['setup']
  link: OpenSetupLink
  token: string
  /** The overview, relative to the page. */
  base: string
  send(page: Page, status?: number): FastifyReply
  /** To another page of the link. */
  go(path: string): FastifyReply
}

export type SetupPages = {
  needs: SetupNeeds
  tools: PageTools
  limiter: ReturnType<typeof proofLimiter>
  /** Runs `handle` for a link that works and has the feature; otherwise shows why it does not, or the overview. */
  opened(
    feature: SetupFeature | undefined,
    handle: (exchange: Exchange) => Promise<FastifyReply>,
  ): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
}

export function setupPages(needs: SetupNeeds, tools: PageTools, limiter: SetupPages['limiter']): SetupPages {
  const { storage, lifecycle, originOf } = needs
  return {
    needs,
    tools,
    limiter,
    opened: (feature, handle) => async (request, reply) => {
      const isForm = request.method === 'POST'
      if (isForm) refuseWhileDraining(lifecycle)
      const { token } = request.params as { token: string }
      const { now, id: requestId } = request
      const link = await openSetupLink({ db: storage.db, now }, token)
      const frame = await tools.frameOf(request, ofPage(link))
      if ('reason' in link) {
        return privately(reply, tools, deadPage(frame, link.reason, requestId), link.reason === 'unknown' ? 404 : 410)
      }
      const { setup_link_id } = link
      // A program that only looks at the address does not use the link.
      if (request.method !== 'HEAD' && (await isUseDue({ db: storage.db, now }, setup_link_id))) {
        const by = { actor: link.actor, now, requestId, origin: originOf(request) }
        await storage.change('setup_links.note_use', { setup_link_id }, by)
      }
      // From here on the rules see this actor, whoever is signed in to the browser.
      request.actor = link.actor
      const base = `${frame.up}setup/${token}`
      const go = (path: string) =>
        reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).redirect(base + path, 303)
      if (feature !== undefined && !link.features.includes(feature)) return go('')
      const send = (page: Page, status = 200) => privately(reply, tools, page, status)
      return handle({ request, reply, frame, t: frame.t.setup, link, token, base, send, go })
    },
  }
}

/** The look of a link's organization, also where the link has ended. */
function ofPage({ locale, organization }: OpenSetupLink | ClosedSetupLink): OfPage {
  return { locale, organization_id: organization?.organization_id ?? null }
}

function deadPage(frame: Frame, reason: ClosedSetupLink['reason'], requestId: string): Page {
  const { deadLink, setup, page: words } = frame.t
  return page(
    frame,
    { title: deadLink.title, isProblem: true },
    html`
<p>${setup.dead[reason]}</p>
<p>${reason === 'closed' ? setup.askWhy : setup.askSender}</p>
<p class="foot quiet small">${words.quote(requestId)}</p>`,
  )
}
