/** SAML 2.0: the request that the browser takes to the provider, and the response that it brings back. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { AppError, memberFault, validationFailed } from '../../../core/errors.ts'
import { SendFailure } from '../../../http/outgoing/agent.ts'
import {
  type Before,
  type OpenConnection,
  type Protocol,
  ProtocolFailure,
  type ProtocolOptions,
  type ProtocolReason,
  type Returned,
  type SamlSettings,
  urlFaults,
  type Vouched,
} from '../connections/service.ts'
import { guardedFetch } from '../provider-calls/service.ts'
import { authnRequestUrl } from './authn-request.ts'
import { claimsOf, claimsSeen } from './claims.ts'
import { readIdpMetadata } from './idp-metadata.ts'
import { SamlRefusal } from './refusal.ts'
import { readResponse } from './response.ts'
import { selfSigned } from './self-signed.ts'

export function samlProtocol({ idpAllowedNetworks, clock, calls }: ProtocolOptions): Protocol {
  const { fetch, close } = guardedFetch(idpAllowedNetworks)

  return {
    async depart(connection, { state, nonce, returnUri, isFresh }) {
      const { sso_url, sign_requests } = settingsOf(connection)
      const url = authnRequestUrl({
        ssoUrl: sso_url,
        entityId: entityIdAt(returnUri),
        acsUrl: returnUri,
        requestId: requestIdOf(nonce),
        relayState: state,
        isFresh,
        privateKey: sign_requests ? keyOf(connection) : undefined,
        now: clock(),
      })
      return { url }
    },

    async arrive(connection, returned, { nonce, returnUri }) {
      return readFor(connection, returned, { returnUri, requestId: requestIdOf(nonce), now: clock() })
    },

    async arriveUnasked(connection, returned, { returnUri }) {
      if (settingsOf(connection).allow_unsolicited) {
        return readFor(connection, returned, { returnUri, requestId: undefined, now: clock() })
      }
      const detail =
        'The sign-in began at the provider, or its request has expired. If the provider may begin sign-ins, set allow_unsolicited.'
      throw new ProtocolFailure('expired', detail, { code: 'unsolicited' })
    },

    async prepare({ metadata, metadata_url, ...input }, before) {
      if (metadata !== undefined && metadata_url !== undefined) {
        throw fault('metadata', 'member_conflict', 'Send metadata or metadata_url, not both.')
      }
      const read =
        typeof metadata === 'string'
          ? describedBy(Buffer.from(metadata), 'metadata', clock())
          : typeof metadata_url === 'string'
            ? describedBy(await download(metadata_url), 'metadata_url', clock())
            : {}
      return { ...read, ...input, ...(await keyFor(input, before, clock())) }
    },

    close,
  }

  async function download(url: string): Promise<Buffer> {
    const faults = urlFaults('metadata_url', url)
    if (faults.length > 0) throw validationFailed(faults)
    const call = { kind: 'saml', part: 'metadata', server: new URL(url).host, isFailure: () => true, faultIn } as const
    try {
      const response = await calls.follow(call, () =>
        fetch(url, { headers: { accept: 'application/samlmetadata+xml, application/xml, text/xml' } }),
      )
      if (response.status === 200) return Buffer.from(await response.arrayBuffer())
      throw fault(
        'metadata_url',
        'metadata_unreadable',
        `The address responds with the status ${response.status}, not 200. Check the address, or send the document itself as metadata.`,
      )
    } catch (error) {
      if (error instanceof AppError) throw error
      const { code = 'connection_failed' } = error as NodeJS.ErrnoException
      const reason = error instanceof SendFailure ? error.word : code
      const detail = `The metadata cannot be fetched: ${reason}. Check the address and whether this server can reach it, or send the document itself as metadata.`
      throw fault('metadata_url', 'metadata_unreadable', detail, error)
    }
  }
}

function faultIn({ status }: Response): string | undefined {
  return status >= 500 ? `status_${status}` : undefined
}

function describedBy(bytes: Uint8Array, member: string, now: number) {
  try {
    const { entityId, ssoUrl, certificates, wantsSignedRequests } = readIdpMetadata(bytes, now)
    return {
      entity_id: entityId,
      sso_url: ssoUrl,
      certificates: certificates.slice(0, 5),
      ...(wantsSignedRequests && { sign_requests: true }),
    }
  } catch (error) {
    if (!(error instanceof SamlRefusal)) throw error
    throw fault(member, 'metadata_unreadable', error.message, error)
  }
}

/** The operator's own key, the one there is, or a new one. */
async function keyFor(input: Readonly<Record<string, unknown>>, before: Before | undefined, now: number) {
  const { sp_private_key, sp_certificate } = input
  if (sp_private_key === undefined && sp_certificate === undefined) {
    if (before?.secrets.includes('sp_private_key')) return {}
    const { privateKey, certificate } = await selfSigned('Rollbook', now)
    return { sp_private_key: privateKey, sp_certificate: certificate }
  }
  const missing = sp_private_key === undefined ? 'sp_private_key' : 'sp_certificate'
  if (sp_private_key === undefined || sp_certificate === undefined) {
    throw fault(missing, 'missing_member', 'sp_private_key and sp_certificate belong together. Send both, or neither.')
  }
  if (isPair(String(sp_private_key), String(sp_certificate))) return {}
  throw fault('sp_private_key', 'key_mismatch', 'This is not the RSA key of sp_certificate, both in PEM.')
}

function isPair(privateKey: string, certificate: string): boolean {
  try {
    const key = createPrivateKey(privateKey)
    return key.asymmetricKeyType === 'rsa' && new X509Certificate(certificate).checkPrivateKey(key)
  } catch {
    return false
  }
}

type Arriving = { returnUri: string; requestId: string | undefined; now: number }

function readFor(connection: OpenConnection, { form }: Returned, { returnUri, requestId, now }: Arriving): Vouched {
  const { entity_id, certificates, subject_claim } = settingsOf(connection)
  try {
    const judged = readResponse(form?.SAMLResponse ?? '', {
      issuer: entity_id,
      audience: entityIdAt(returnUri),
      acsUrl: returnUri,
      requestId,
      needsNameId: subject_claim === null || subject_claim === 'name_id',
      now,
      certificates: certificates.map((one) => new X509Certificate(one)),
      decryptionKey: keyOf(connection),
    })
    const once = [{ id: `${judged.issuer}\n${judged.assertionId}`, until: judged.expiresAtMs }]
    return { claims: claimsOf(judged), once }
  } catch (error) {
    if (!(error instanceof SamlRefusal)) throw error
    const reason = reasonOf(error, requestId)
    throw new ProtocolFailure(reason, error.message, { cause: error, code: error.reason, claims: claimsSeen(error) })
  }
}

/** For the user, it is the same page whatever was wrong with the message. */
function reasonOf({ reason }: SamlRefusal, requestId: string | undefined): ProtocolReason {
  if (reason === 'provider_refused') return 'provider_refused'
  return reason === 'in_response_to_wrong' && requestId === undefined ? 'expired' : 'token_invalid'
}

function settingsOf({ settings }: OpenConnection): SamlSettings {
  return settings as SamlSettings
}

function keyOf({ secrets }: OpenConnection) {
  return secrets.sp_private_key === undefined ? undefined : createPrivateKey(secrets.sp_private_key)
}

/** Ours, for this connection: the address of its metadata. */
function entityIdAt(returnUri: string): string {
  return returnUri.replace(/\/callback$/, '/metadata')
}

/** An xs:ID starts with a letter or an underscore. */
function requestIdOf(nonce: string): string {
  return `_${nonce}`
}

function fault(member: string, code: string, detail: string, cause?: unknown): AppError {
  const errors = [memberFault(member, code, detail)]
  return new AppError('validation_failed', detail, { errors, cause })
}
