/** An assertion as claims. Their meaning is decided by connections/kinds/saml.ts. */
import type { Judged } from './judge.ts'
import type { SamlRefusal } from './refusal.ts'

/** Claims that the assertion itself provides; no attribute may replace them. */
const reserved = ['name_id', 'name_id_format', 'authn_context', 'authn_instant', '__proto__']

export function claimsOf({ subject, attributes, authnContext, authnInstantMs }: Judged): Record<string, unknown> {
  return {
    ...attributeClaims(attributes),
    ...(subject.nameId !== undefined && { name_id: subject.nameId }),
    ...(subject.format !== undefined && { name_id_format: subject.format }),
    ...(authnContext !== '' && { authn_context: authnContext }),
    authn_instant: new Date(authnInstantMs).toISOString(),
  }
}

/** The claims of a refused assertion, if it was signed, for the administrator. */
export function claimsSeen({ judged }: SamlRefusal): Record<string, unknown> {
  if (judged === undefined) return {}
  return { ...attributeClaims(judged.attributes), ...(judged.subject !== undefined && { name_id: judged.subject }) }
}

function attributeClaims(attributes: Judged['attributes']): Record<string, unknown> {
  const own = [...attributes].filter(([name]) => !reserved.includes(name))
  return Object.fromEntries(own.map(([name, values]) => [name, values.length === 1 ? values[0] : values]))
}
