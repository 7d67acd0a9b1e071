import type { FastifyInstance } from 'fastify'
import type { BrandFile, BrandSource } from '../../../core/brand.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { operation } from '../../../http/endpoint/operation.ts'
import { overrideQuery, overrides } from '../../../http/endpoint/override.ts'
import { expectedVersion, unlessKnown, withETag } from '../../../http/request/conditional.ts'
import { Html } from '../../../lib/html.ts'
import { type PreviewNeeds, sampleMessage } from '../../../record/mails/service.ts'
import { lookOf, offersByMail, signInPage } from '../login-pages/service.ts'
import { languageFor, languageNames, languageOf, languages, textsIn } from '../page-texts/service.ts'
import * as answers from './answers.ts'
import { brandOf } from './brand.ts'
import * as branding from './branding.ts'
import { brandFiles } from './files.ts'
import { bodyLimit } from './images/logo.ts'
import { checkBranding } from './input.ts'
import { organizationRoutes } from './organization-routes.ts'
import type { BrandingPreview, PreviewBranding, SetBranding } from './schema.ts'

type Needs = Pick<HttpLayer, 'config' | 'contextOf' | 'cookies' | 'makeChange' | 'links'> &
  PreviewNeeds & { branding: BrandSource }

export function routes(app: FastifyInstance, needs: Needs): void {
  readRoute(app, needs)
  replaceRoute(app, needs)
  previewRoute(app, needs)
  organizationRoutes(app, needs)
  brandFiles(app, needs.branding)
}

function readRoute(app: FastifyInstance, { contextOf }: Needs): void {
  app.route({
    ...operation({
      name: 'get_branding',
      method: 'GET',
      path: '/branding',
      access: 'branding:write',
      scope: 'global',
      description: answers.getDescription,
      returns: 'Branding',
      etag: 'branding',
      responses: { 200: 'The branding.', 304: 'The branding has not changed since this `If-None-Match`.' },
    }),
    async handler(request, reply) {
      const found = await branding.get(contextOf(request))
      return unlessKnown(reply, found.version, found.branding)
    },
  })
}

function replaceRoute(app: FastifyInstance, { config, makeChange }: Needs): void {
  app.route({
    bodyLimit,
    ...operation({
      name: 'replace_branding',
      method: 'PUT',
      path: '/branding',
      access: 'branding:write',
      scope: 'global',
      description: answers.replaceDescription,
      query: overrideQuery,
      body: 'SetBranding',
      returns: 'Branding',
      etag: 'branding',
      responses: { 200: 'The branding after the change, or as it would be after it.' },
      problems: ['managed_elsewhere'],
      example: answers.example,
    }),
    async handler(request, reply) {
      const { result, dryRun } = await makeChange(request, reply, 'branding.replace', {
        async input() {
          const expected = expectedVersion(request, config)
          const { stored } = await checkBranding(request.body as SetBranding)
          return { stored, expected, override: overrides(request) }
        },
      })
      return dryRun ? result.branding : withETag(reply, result.version, result.branding)
    },
  })
}

function previewRoute(app: FastifyInstance, needs: Needs): void {
  app.route({
    bodyLimit,
    ...operation({
      name: 'preview_branding',
      method: 'POST',
      path: '/branding/preview',
      access: 'branding:write',
      scope: 'global',
      isRepeatable: true,
      description: answers.previewDescription,
      body: 'PreviewBranding',
      returns: 'BrandingPreview',
      responses: { 200: 'The page, the message, and what would be stored.' },
      example: { branding: answers.example, locale: 'en' },
    }),
    async handler(request): Promise<BrandingPreview> {
      const { branding: input, locale, organization_id } = request.body as PreviewBranding
      const { stored, left_out, contrast } = await checkBranding(input, { doesPropose: true })
      const { config, links } = needs
      const { db } = needs.contextOf(request)
      const seen = organization_id === undefined ? stored : await branding.asOfOrganization(db, organization_id, stored)
      const brand = brandOf(seen, { productName: config.productName, tag: 'preview' })
      const language =
        languageFor(locale === undefined ? [] : [locale]) ?? languageOf({ headers: request.headers, query: {} }, needs)
      const t = await textsIn(language)
      const frame = {
        productName: brand.name,
        up: links.path('/'),
        // Without caching by version, as on pages of errors.
        assets: links.path('/login/assets/any'),
        t,
        languages: languages.map((one) => ({ language: one, name: languageNames[one], href: '#' })),
        look: lookOf(brand, dataUrlOf, brand.sheet && new Html(`<style>${brand.sheet.content}</style>\n`)),
      }
      const page = signInPage(frame, { returnTo: undefined, ...offersByMail(config) })
      const {
        subject,
        text,
        html: message,
      } = sampleMessage(needs, { kind: 'invitation', locale: language, brand, now: request.now })
      return {
        branding: branding.toBranding({ stored, updated_at: null, managed_by: null }),
        left_out,
        contrast,
        page: page.html,
        subject,
        text,
        html: message,
      }
    },
  })
}

function dataUrlOf({ type, content }: BrandFile): string {
  return `data:${type};base64,${content.toString('base64')}`
}
