/** The one form in which domains are stored and compared, and the record that proves one. */
import { AppError, memberFault, validationFailed } from '../../core/errors.ts'
import { plainDomain } from '../../lib/plain-domain.ts'
import { isPublicSuffix } from '../../lib/public-suffix.ts'
import type { DomainRow } from './domains-store.ts'
import type { OrganizationDomain } from './schema.ts'

/** RFC 1035 §2.3.4: a name has at most 253 characters without the last dot, and `_rollbook.` comes before. */
const longest = 253 - '_rollbook.'.length

/** Lower case, ASCII, without the dot that ends an absolute name. Undefined if this is no domain below a top-level one. */
export function domainForm(text: string): string | undefined {
  const domain = plainDomain(text.trim().replace(/\.$/, ''))
  return domain !== undefined && domain.length <= longest ? domain : undefined
}

/** A domain of a body. @param at the member, and in a list the place @throws AppError `validation_failed` */
export function checkDomain(text: string, [member, index]: readonly [string, number?] = ['domain']): string {
  const domain = domainForm(text)
  if (domain !== undefined && isPublicSuffix(domain)) {
    const detail =
      'This domain belongs to no one organization: anyone can have a name below it. Enter the domain of the organization.'
    throw validationFailed([memberFault('domain', 'domain_public', detail)])
  }
  if (domain !== undefined) return domain
  const detail = `This is not a domain such as example.com, of at most ${longest} characters, without a scheme, a path, a port or an @.`
  throw validationFailed([memberFault(member, 'domain_invalid', detail, index)])
}

export function domainNotFound(): AppError {
  return new AppError('domain_not_found', 'The organization has no such domain.')
}

export function toDomain({
  domain,
  verified_at,
  proof,
}: Pick<DomainRow, 'domain' | 'verified_at' | 'proof'>): OrganizationDomain {
  return { domain, verified_at, record_name: recordName(domain), record_value: recordValue(proof) }
}

export function recordName(domain: string): string {
  return `_rollbook.${domain}`
}

/** `proof` is random for each domain of each organization, so that a record proves nothing else. */
export function recordValue(proof: string): string {
  return `rollbook-verification=${proof}`
}
