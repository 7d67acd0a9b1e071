/**
 * `node --import bench/growth/cheap-argon2.ts …`: the server with a password hash that costs nothing, to create sessions
 * faster than two cores can hash. Deliberately not a setting: never serve like this.
 */
import { registerHooks } from 'node:module'

const source = `
  import { createHash } from 'node:crypto'
  const encode = (bytes) => bytes.toString('base64').replaceAll('=', '')
  const salt = encode(Buffer.alloc(16, 7))
  const phc = (password) =>
    '$argon2id$v=19$m=19456,t=2,p=1$' + salt + '$' + encode(createHash('sha256').update(password).digest())
  export const hash = async (password) => phc(password)
  export const verify = async (stored, password) => stored === phc(password)`

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@node-rs/argon2' ? { url: 'bench:cheap-argon2', shortCircuit: true } : next(specifier, context),
  load: (url, context, next) =>
    url === 'bench:cheap-argon2' ? { format: 'module', source, shortCircuit: true } : next(url, context),
})
