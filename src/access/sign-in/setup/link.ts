/** The link that creates the first administrator. */
import { hash, randomBytes } from 'node:crypto'
import type { ChangeRequest, Storage } from '../../../store/storage/storage.ts'

export function setupTokenHash(token: string): string {
  return hash('sha256', token, 'hex')
}

function newSetupToken(): string {
  return randomBytes(32).toString('base64url')
}

/** The token is in the fragment, which browsers do not send, so no proxy logs it. `base` is ours with the prefix. */
function setupLink(base: string, token: string): string {
  return `${base}/console/setup#token=${token}`
}

/** Creates a link that replaces any earlier one; undefined if there is an administrator already. */
export async function makeSetupLink(
  storage: Pick<Storage, 'change'>,
  base: string,
  request: ChangeRequest,
): Promise<string | undefined> {
  const token = newSetupToken()
  const { result } = await storage.change('setup.make_link', { token_hash: setupTokenHash(token) }, request)
  return result.isCreated ? setupLink(base, token) : undefined
}
