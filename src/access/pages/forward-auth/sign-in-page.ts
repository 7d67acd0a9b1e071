import type { FastifyRequest } from 'fastify'
import { AppError } from '../../../core/errors.ts'
import { asksForSecondFactor } from '../../../http/endpoint/recent-authentication.ts'
import type { Links } from '../../../http/server/links.ts'
import type { Original } from './original-request.ts'

const pages: Partial<Record<string, string>> = {
  credential_missing: '/login',
  credential_invalid: '/login',
  password_change_required: '/change-password',
  factor_required: '/login',
  insufficient_user_authentication: '/confirm',
}

/**
 * Returns the page that helps a browser user with this refusal; undefined for programs, which could not use it, and for
 * refusals without a remedy.
 */
export function pageAgainst(
  error: unknown,
  request: FastifyRequest,
  { method, url }: Original,
  links: Links,
): string | undefined {
  const page = error instanceof AppError ? pages[error.code] : undefined
  if (page === undefined || !isNavigation(request, method)) return undefined
  const query = new URLSearchParams()
  if (url !== undefined) query.set('return_to', url)
  // The page sends users without a second factor to add one; a password would lead back here again and again.
  if (asksForSecondFactor(error as AppError)) query.set('acr', 'aal2')
  return links.to(page) + (query.size === 0 ? '' : `?${query}`)
}

function isNavigation(request: FastifyRequest, method: string): boolean {
  return (method === 'GET' || method === 'HEAD') && isForPage(request)
}

/** Whether a browser requests a page, not a script data, and without another kind of credential. */
export function isForPage({ headers }: FastifyRequest): boolean {
  if (headers.authorization !== undefined || headers['x-api-key'] !== undefined) return false
  const { 'sec-fetch-mode': mode = 'navigate', 'x-requested-with': script } = headers
  return mode === 'navigate' && script === undefined && /\btext\/html\b/i.test(headers.accept ?? '')
}
