/**
 * Uses passkeys in this browser. Member by member, without the browser's own JSON methods: password managers
 * replace navigator.credentials, and what they return can lack them.
 */
import type { PasskeyRequest } from 'rollbook/client'

type Bytes = ArrayBuffer | ArrayBufferView | string
type Credential = {
  id: string
  response: Record<string, Bytes | null | undefined>
}
type Descriptor = PasskeyRequest['options']['allowCredentials'][number]

/** No passkey belongs to an IP address, and browsers allow none on plain http except on localhost. */
export const canUsePasskeys =
  isSecureContext && 'PublicKeyCredential' in window && !/^[\d.]+$|:/.test(location.hostname.replaceAll(/[[\]]/g, ''))

/** @throws DOMException if the user cancels, or the browser cannot */
export async function showPasskey({ options }: PasskeyRequest) {
  const { challenge, allowCredentials, ...others } = options
  const credential = await navigator.credentials.get({
    publicKey: {
      ...(others as unknown as PublicKeyCredentialRequestOptions),
      challenge: bytesOf(challenge),
      allowCredentials: allowCredentials.map(descriptorOf),
    },
  })
  const { id, response } = present(credential)
  const { clientDataJSON, authenticatorData, signature, userHandle } = response
  return {
    id,
    type: 'public-key' as const,
    response: {
      clientDataJSON: textOf(clientDataJSON),
      authenticatorData: textOf(authenticatorData),
      signature: textOf(signature),
      userHandle: userHandle ? textOf(userHandle) : null,
    },
  }
}

function present(credential: unknown): Credential {
  if (credential) return credential as Credential
  throw new DOMException('The browser returned no passkey.', 'NotAllowedError')
}

function descriptorOf({ id, transports }: Descriptor): PublicKeyCredentialDescriptor {
  return { type: 'public-key', id: bytesOf(id), transports: transports as AuthenticatorTransport[] }
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}

function textOf(value: Bytes | null | undefined): string {
  if (typeof value === 'string') return value
  if (!value) throw new DOMException('The browser returned an incomplete passkey.', 'NotAllowedError')
  const bytes = ArrayBuffer.isView(value)
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : new Uint8Array(value)
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
