/** The rules of a verification, wherever the claims of a credential come from. */
import { Caller, type OurClaims } from './caller.ts'
import { insufficient, VerifyError } from './errors.ts'
import { type Needs, type NeedsArguments, readNeeds } from './needs.ts'
import { type Credential, credentialOf, type RequestRules, type VerifiableRequest } from './request.ts'

export type Verify = (request: VerifiableRequest, ...needs: NeedsArguments) => Promise<Caller>

type Parts = {
  rules: RequestRules
  /** Returns the claims of a valid credential; throws or rejects with a VerifyError for any other. */
  find(credential: Credential): OurClaims | Promise<OurClaims>
  clock: () => number
  /** The page that explains the codes, up to the code. */
  explainedAt: string
}

export function verifyBy({ rules, find, clock, explainedAt }: Parts): Verify {
  return async (request, ...needsArguments) => {
    const needs = readNeeds(needsArguments)
    try {
      const claims = find(credentialOf(request, rules))
      const caller = new Caller(claims instanceof Promise ? await claims : claims)
      refuseWithout(caller, needs)
      refuseUnproven(caller, needs, clock)
      return caller
    } catch (error) {
      if (error instanceof VerifyError && error.status !== 503) error.type = explainedAt + error.code
      throw error
    }
  }
}

function refuseWithout(caller: Caller, { permission, role, organization }: Needs): void {
  if (permission !== undefined && !caller.has(permission)) {
    throw new VerifyError('permission_denied', `You need the permission ${permission}.`, { scope: permission })
  }
  if (role !== undefined && caller.role !== role)
    throw new VerifyError('permission_denied', `You need the role ${role}.`)
  if (organization !== undefined && caller.org_id !== organization)
    throw new VerifyError('permission_denied', `You need to belong to the organization ${organization}.`)
}

/** How recently, and how well, the user was authenticated. With a key, no user was; a claim that is missing proves nothing. */
function refuseUnproven(caller: Caller, { max_age, acr }: Needs, clock: () => number): void {
  if (max_age === undefined && acr === undefined) return
  if (caller.key_id !== undefined) throw new VerifyError('permission_denied', 'Only a signed-in user may do this.')
  const { auth_time, acr: level } = caller.claims
  const isRecent =
    max_age === undefined || (typeof auth_time === 'number' && clock() - auth_time * 1000 <= max_age * 1000)
  const isEnough = acr === undefined || level === 'aal2' || level === acr
  if (isRecent && isEnough) return
  throw insufficient({ ...(acr !== undefined && { acr }), ...(max_age !== undefined && { max_age }) })
}
