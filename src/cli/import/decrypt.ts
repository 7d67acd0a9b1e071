/** Decrypts files in the age format, which `rollbook users export --with-password-hashes` writes. */
import { OperatorError } from '../../core/errors.ts'
import { UsageError } from '../terminal/failure.ts'

const intro = 'age-encryption.org/v1\n'
export const encryptedIntro = Buffer.from(intro)
const armor = '-----BEGIN AGE ENCRYPTED FILE-----'

/** Yields the input, decrypted if it is encrypted. Asks for the passphrase if no file has it. */
export async function* decrypted(
  input: AsyncGenerator<Uint8Array, void, undefined>,
  passphraseFile: string | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { head, whole } = await peek(input, armor.length)
  if (head === armor) {
    throw new UsageError(
      'The file is encrypted with ASCII armor, which cannot be imported. Decrypt it with age --decrypt and import the result.',
    )
  }
  if (!head.startsWith(intro)) {
    if (passphraseFile !== undefined)
      throw new UsageError('--passphrase-file was given, but the file is not encrypted.')
    yield* whole
    return
  }
  const [{ Decrypter }, { readSecret }] = await Promise.all([
    import('age-encryption'),
    import('../terminal/secret-input.ts'),
  ])
  const passphrase = await readSecret({
    file: passphraseFile,
    prompt: 'Passphrase of the file',
    instead: '--passphrase-file',
  })
  const decrypter = new Decrypter()
  decrypter.addPassphrase(passphrase)
  const stream = await decrypter.decrypt(ReadableStream.from(whole)).catch((cause) => {
    throw new UsageError('The passphrase does not open the file.', { cause })
  })
  try {
    yield* stream
  } catch (cause) {
    throw new OperatorError('The encrypted file is damaged or incomplete.', { cause })
  }
}

async function peek(input: AsyncGenerator<Uint8Array, void, undefined>, length: number) {
  let head = Buffer.alloc(0)
  while (head.length < length) {
    const { value } = await input.next()
    if (value === undefined) break
    head = Buffer.concat([head, value])
  }
  async function* whole(): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
    if (head.length > 0) yield head
    yield* input as AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined>
  }
  return { head: head.toString('latin1', 0, length), whole: whole() }
}
