import { type Read, readForeignHash } from './foreign.ts'

/** A credential of type `password` in a realm's export. */
type KeycloakCredential = {
  /** JSON as text, both; */
  credentialData?: unknown
  secretData?: unknown
  /** and before Keycloak 8 their members one by one. */
  algorithm?: unknown
  hashIterations?: unknown
  salt?: unknown
  hashedSaltedValue?: unknown
}

/** The hash in a form that `password_hash` of an import accepts, or the reason for refusing it. */
export function keycloakHash(credential: KeycloakCredential): Read {
  const data = 'credentialData' in credential ? parseObject(credential.credentialData) : asObject(credential)
  const secret = 'secretData' in credential ? parseObject(credential.secretData) : asObject(credential)
  const { algorithm, hashIterations } = data
  const [salt, tag] = [unpadded(secret.salt), unpadded(secret.value ?? secret.hashedSaltedValue)]
  if (typeof algorithm !== 'string' || typeof hashIterations !== 'number' || salt === undefined || tag === undefined)
    return { fault: 'This is not a Keycloak password credential.' }
  if (/^pbkdf2(-sha[0-9]{3})?$/.test(algorithm)) {
    const name = algorithm === 'pbkdf2' ? 'pbkdf2-sha1' : algorithm
    return readForeignHash(`$${name}$i=${hashIterations}$${salt}$${tag}`)
  }
  if (algorithm !== 'argon2')
    return { fault: 'Keycloak made this hash with an algorithm that Rollbook does not support.' }
  const { type, version, memory, parallelism } = asObject(data.additionalParameters)
  if (first(version) !== '1.3') return { fault: 'argon2 hashes from before version 1.3 (v=19) are not supported.' }
  const parameters = `m=${first(memory)},t=${hashIterations},p=${first(parallelism)}`
  return readForeignHash(`$argon2${first(type)}$v=19$${parameters}$${salt}$${tag}`)
}

function parseObject(text: unknown): Record<string, unknown> {
  if (typeof text !== 'string') return {}
  try {
    return asObject(JSON.parse(text))
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

/** Parameters are lists of one. */
function first(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : value
}

function unpadded(value: unknown): string | undefined {
  return typeof value === 'string' ? value.replace(/=+$/, '') : undefined
}
