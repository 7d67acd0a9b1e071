/**
 * Traces of Rollbook with OpenTelemetry: `NODE_OPTIONS="--import /opt/rollbook-tracing/tracing.mjs"`. Rollbook itself
 * contains nothing of it. docs/metrics.md says what to install and which variables to set.
 */
import { subscribe } from 'node:diagnostics_channel'
import { isMainThread } from 'node:worker_threads'

// The threads that read and write SQLite see no requests; do not load all of this there again.
if (isMainThread) {
  const { trace } = await import('@opentelemetry/api')
  const { NodeSDK } = await import('@opentelemetry/sdk-node')
  const { HttpInstrumentation } = await import('@opentelemetry/instrumentation-http')
  const { PgInstrumentation } = await import('@opentelemetry/instrumentation-pg')

  const sdk = new NodeSDK({
    instrumentations: [
      new HttpInstrumentation({
        // Probes and scrapes would be most of the traces.
        ignoreIncomingRequestHook: ({ url = '' }) => /\/(health\/\w+|metrics)$/.test(url),
        // Searched names, keys that people put into a path by mistake, tokens in webhook URLs.
        applyCustomAttributesOnSpan(span) {
          const { 'url.query': query, 'url.path': path, 'url.full': full, 'http.route': route } = span.attributes
          if (query !== undefined) span.setAttribute('url.query', '')
          if (path !== undefined) span.setAttribute('url.path', route ?? 'unknown')
          if (full !== undefined) span.setAttribute('url.full', new URL(full).origin)
        },
      }),
      new PgInstrumentation({ requireParentSpan: true }),
    ],
  })
  sdk.start()
  process.once('SIGTERM', () => sdk.shutdown())

  // Names spans by their route, and adds the request id of the log.
  subscribe('fastify.initialization', ({ fastify }) => {
    fastify.addHook('onRequest', (request, _reply, done) => {
      const span = trace.getActiveSpan()
      const route = request.routeOptions.url?.replaceAll(/:(\w+)/g, '{$1}')
      if (route !== undefined) span?.updateName(`${request.method} ${route}`).setAttribute('http.route', route)
      span?.setAttribute('rollbook.request_id', request.id)
      done()
    })
  })
}
