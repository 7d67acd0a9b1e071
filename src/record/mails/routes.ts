import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { BrandSource } from '../../core/brand.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { linkToNext } from '../../http/endpoint/next-page.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { replayed } from '../../http/endpoint/response-parts.ts'
import { pathId } from '../../http/request/path-id.ts'
import * as answers from './answers.ts'
import * as mails from './mails.ts'
import { sampleMessage } from './sample.ts'
import {
  type ChooseMails,
  type ListMails,
  listMailsSchema,
  type MailServer,
  type PreviewMail,
  type TestMail,
} from './schema.ts'
import type { MessageParts } from './sending/message.ts'

type Needs = Pick<HttpLayer, 'config' | 'contextOf' | 'makeChange' | 'links'> &
  Pick<MessageParts, 'templates'> & { branding: BrandSource }

export function routes(app: FastifyInstance, needs: Needs): void {
  listRoute(app, needs)
  getRoute(app, needs)
  serverRoute(app, needs)
  previewRoute(app, needs)
  sendRoutes(app, needs)
}

function listRoute(app: FastifyInstance, { contextOf, links }: Needs): void {
  app.route({
    ...operation({
      name: 'list_mails',
      method: 'GET',
      path: '/mails',
      access: 'mails:read',
      scope: 'organization',
      description: answers.listDescription,
      query: listMailsSchema,
      returns: 'Mail[]',
      responses: { 200: 'A page of messages.' },
    }),
    async handler(request, reply) {
      const page = await mails.list(contextOf(request), request.query as ListMails)
      linkToNext(reply, links, '/mails', { cursor: page.next })
      return page.mails
    },
  })
}

function getRoute(app: FastifyInstance, { contextOf }: Needs): void {
  app.route({
    ...operation({
      name: 'get_mail',
      method: 'GET',
      path: '/mails/{mail_id}',
      access: 'mails:read',
      scope: 'organization',
      description: answers.getDescription,
      returns: 'Mail',
      responses: { 200: 'The message.' },
      problems: ['mail_not_found'],
    }),
    handler: (request) => mails.get(contextOf(request), pathId(request, 'mail_id')),
  })
}

function serverRoute(app: FastifyInstance, { config: { mailFrom, smtpUrl }, contextOf, templates }: Needs): void {
  app.route({
    ...operation({
      name: 'get_mail_server',
      method: 'GET',
      path: '/mails/server',
      access: 'mails:read',
      scope: 'global',
      description: answers.serverDescription,
      returns: 'MailServer',
      responses: { 200: 'The state of sending.' },
    }),
    async handler(request): Promise<MailServer> {
      const isSetUp = smtpUrl !== undefined && mailFrom !== undefined
      return {
        configured: isSetUp,
        sender: isSetUp ? (mailFrom.name === '' ? mailFrom.address : `${mailFrom.name} <${mailFrom.address}>`) : null,
        ...(await mails.fares(contextOf(request))),
        locales: templates.locales(),
      }
    },
  })
}

function previewRoute(app: FastifyInstance, needs: Needs): void {
  app.route({
    ...operation({
      name: 'preview_mail',
      method: 'POST',
      path: '/mails/preview',
      access: 'mails:read',
      scope: 'global',
      isRepeatable: true,
      description: answers.previewDescription,
      body: 'PreviewMail',
      returns: 'MailPreview',
      responses: { 200: 'The message.' },
      example: { kind: 'invitation', locale: 'de' },
    }),
    async handler(request) {
      const { kind, locale } = request.body as PreviewMail
      const brand = await needs.branding.current()
      return { kind, ...sampleMessage(needs, { kind, locale, brand, now: request.now }) }
    },
  })
}

function sendRoutes(app: FastifyInstance, { makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'retry_mail',
      method: 'POST',
      path: '/mails/{mail_id}/retry',
      access: 'mails:write',
      scope: 'global',
      description: answers.retryDescription,
      returns: 'Mail',
      responses: { 200: 'Dry run: what would be sent.', 202: 'The message was queued.' },
      problems: ['mail_not_found', 'mail_not_failed', 'mail_not_configured', 'too_many_mails'],
    }),
    async handler(request, reply) {
      const mail_id = pathId(request, 'mail_id')
      const { result, dryRun } = await makeChange(request, reply, 'mails.retry', { input: () => ({ mail_id }) })
      if (!dryRun) reply.code(202)
      return result
    },
  })

  app.route({
    ...operation({
      name: 'release_mails',
      method: 'POST',
      path: '/mails/release',
      isBodyOptional: true,
      access: 'mails:write',
      scope: 'global',
      description: answers.releaseDescription,
      body: 'ChooseMails',
      returns: 'ReleasedMails',
      responses: { 200: { description: 'How many messages are sent now.', headers: { ...replayed } } },
      problems: ['mail_not_configured'],
      example: {},
    }),
    preValidation: emptyBodyAllowed,
    async handler(request, reply) {
      const input = request.body as ChooseMails
      return (await makeChange(request, reply, 'mails.release', { input: () => input })).result
    },
  })

  app.route({
    ...operation({
      name: 'discard_mails',
      method: 'POST',
      path: '/mails/discard',
      isBodyOptional: true,
      access: 'mails:write',
      scope: 'global',
      description: answers.discardDescription,
      body: 'ChooseMails',
      returns: 'DiscardedMails',
      responses: { 200: { description: 'How many messages were given up.', headers: { ...replayed } } },
      example: {},
    }),
    preValidation: emptyBodyAllowed,
    async handler(request, reply) {
      const input = request.body as ChooseMails
      return (await makeChange(request, reply, 'mails.discard', { input: () => input })).result
    },
  })

  app.route({
    ...operation({
      name: 'send_test_mail',
      method: 'POST',
      path: '/mails/test',
      access: 'mails:write',
      scope: 'global',
      description: answers.testDescription,
      body: 'TestMail',
      returns: 'Mail',
      responses: { 200: 'Dry run: what would be sent.', 202: 'The message was queued.' },
      problems: ['mail_not_configured', 'too_many_mails'],
      example: { address: 'postmaster@example.com' },
    }),
    async handler(request, reply) {
      const { result, dryRun } = await makeChange(request, reply, 'mails.test', {
        input: () => request.body as TestMail,
      })
      if (!dryRun) reply.code(202)
      return result
    },
  })
}

/** An omitted body is validated as an empty object. */
async function emptyBodyAllowed(request: FastifyRequest): Promise<void> {
  request.body ??= {}
}
