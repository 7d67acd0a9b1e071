/** Websockets and event streams through the gateway: they end with the credential that opened them. */
import type { EventEmitter } from 'node:events'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import type { Credential } from '../../../http/request/credential.ts'
import { sentCredential } from '../../../http/request/sent-credential.ts'
import type { Subject } from '../../../store/context.ts'

/** RFC 6455 §7.4.1: going away, and policy violation. */
const goingAway = 1001
const policyViolation = 1008

type Stream = { text: string; credential: Credential; end(code: number): void }

const tickMs = 1000
/** How often to look for credentials that ended without a request, such as idle sessions. */
const ticksBetweenSweeps = 60
/** How many lookups run at once. */
const batch = 50

type OpenStreams = {
  /** `carrier` closes when the stream ends: its connection may carry others later. */
  watch(request: FastifyRequest, carrier: EventEmitter, end: (code: number) => void): void
}

type Needs = Pick<HttpLayer, 'storage' | 'lifecycle' | 'cookies' | 'lookUp' | 'log'>

export function openStreams(app: FastifyInstance, needs: Needs): OpenStreams {
  const { storage, lifecycle, cookies, lookUp, log } = needs
  const streams = new Set<Stream>()

  storage.onAnnouncement((event) => {
    if (event.kind === 'forget' || event.kind === 'rules_changed') void check([...streams])
    if (event.kind === 'revoked')
      void check([...streams].filter((stream) => mayConcern(event.subject, stream.credential)))
  })

  async function check(some: readonly Stream[]): Promise<void> {
    for (let i = 0; i < some.length; i += batch) await Promise.all(some.slice(i, i + batch).map(endUnlessHeld))
  }

  async function endUnlessHeld(stream: Stream): Promise<void> {
    try {
      // Not by authenticate(): an open window is not a use of the session, which may end when the user is idle.
      if ((await lookUp(stream.text, Date.now())) === undefined) stream.end(policyViolation)
    } catch (err) {
      // The store is unavailable; when it is back, missed revocations are announced.
      log.warn({ err }, 'could not check the credential of an open stream')
    }
  }

  let ticks = 0
  const timer = setInterval(() => {
    const now = Date.now()
    for (const stream of streams) {
      if (lifecycle.stage === 'draining') stream.end(goingAway)
      else if (stream.credential.endsAtMs <= now) stream.end(policyViolation)
    }
    if (++ticks % ticksBetweenSweeps === 0) void check([...streams])
  }, tickMs).unref()
  app.addHook('preClose', (done) => {
    clearInterval(timer)
    for (const stream of streams) stream.end(goingAway)
    done()
  })

  return {
    watch(request, carrier, end) {
      const { credential } = request
      if (credential === undefined) throw new Error('Only an authenticated request can be watched.')
      const stream = { text: sentCredential(request, cookies).text, credential, end }
      streams.add(stream)
      carrier.once('close', () => streams.delete(stream))
      // It may have been revoked since it was checked.
      void endUnlessHeld(stream)
    },
  }
}

function mayConcern(subject: Subject, { kind, actor }: Credential): boolean {
  if (subject.kind === 'user') return actor.id === subject.id
  if (subject.kind === 'session' || subject.kind === 'session_changed') return actor.signedIn?.session_id === subject.id
  if (subject.kind === 'key' || subject.kind === 'key_changed') {
    return (actor.personalKey?.key_id ?? actor.id) === subject.id
  }
  return kind === 'access_token'
}
