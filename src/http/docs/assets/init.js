// The docs page: Swagger UI, and what it lacks for our links, long answers and the first try.

const container = /** @type {HTMLElement} */ (document.getElementById('docs'))

const openapi = new URL(container.dataset.openapi, location.href)
// Absolute: a path that began with two slashes would name another host.
const api = new URL('.', openapi).href.replace(/\/$/, '')

const darkScheme = matchMedia('(prefers-color-scheme: dark)')
const followScheme = () => document.documentElement.classList.toggle('dark-mode', darkScheme.matches)
darkScheme.addEventListener('change', followScheme)
followScheme()

/** More than this is not coloured: each word becomes an element, and a megabyte of them stops the tab for seconds. */
const colouredCharacters = 100_000
/** More than this is not shown: nothing reads a list of a million users in a tab, and holding it could end the tab. */
const shownBytes = 1_048_576
const cutNote = '\n\n… The rest is not shown here: set `limit`, or use the curl command in a terminal.\n'

const settledMs = 2000

/** Opens the operation a hash names, and only that one. */
function openFromHash(system, hash) {
  const [tag, operationId] = segmentsOf(hash)
  if (!tag) return
  const key = ['operations', tag, operationId]
  // Swagger UI's own `show` pushes a history entry each time, which would make Back lead to where one already is.
  const show = (thing, shown) => system.getStore().dispatch({ type: 'layout_show', payload: { thing, shown } })
  show(['operations-tag', tag], true)
  if (!operationId) return

  for (const [shownKey, shown] of system.getState().getIn(['layout', 'shown'], [])) {
    const other = shownKey.toJS()
    if (shown && other[0] === 'operations' && other.join('/') !== key.join('/')) show(other, false)
  }
  show(key, true)

  const elementId = `operations-${tag}-${operationId}`
  system.layoutActions.scrollToVirtualizedOperation(key)
  keepInSight(elementId)
  document.getElementById(elementId)?.querySelector('button')?.focus({ preventScroll: true })
}

let stopScrolling = () => {}

/** Swagger UI builds an operation step by step, and closes another above it: scroll until it has settled. */
function keepInSight(elementId) {
  stopScrolling()
  const observer = new ResizeObserver(() => document.getElementById(elementId)?.scrollIntoView())
  observer.observe(container)
  stopScrolling = () => observer.disconnect()
  setTimeout(stopScrolling, settledMs)
}

// Whoever has begun to use the page is not moved any more.
for (const type of ['pointerdown', 'keydown', 'wheel']) addEventListener(type, () => stopScrolling(), { passive: true })

function segmentsOf(hash) {
  try {
    return hash
      .replace(/^#!?\/?/, '')
      .split('/')
      .map(decodeURIComponent)
  } catch {
    return []
  }
}

function deepLinks() {
  return {
    statePlugins: {
      layout: {
        wrapActions: {
          // The original calls every underscore in an operationId a deprecated blank, on the console.
          parseDeepLinkHash: (_original, system) => (hash) => openFromHash(system, hash),
        },
      },
    },
    afterLoad(system) {
      addEventListener('hashchange', () => openFromHash(system.getSystem(), location.hash))
      // Swagger UI opens every link of a description in a new tab.
      container.addEventListener('click', (event) => {
        const link = event.target instanceof Element ? event.target.closest('a[href^="#/"][target]') : null
        if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
        event.preventDefault()
        const hash = link.getAttribute('href')
        if (location.hash === hash) openFromHash(system.getSystem(), hash)
        else location.hash = hash
      })
    },
  }
}

/** Makes the name in the example of Create User unique, so that the example can be sent as it stands. */
function withFreshName(document) {
  const name = document.paths['/users']?.post?.requestBody?.content?.['application/json']?.example?.username
  if (typeof name !== 'string') return document
  const suffix = Array.from(crypto.getRandomValues(new Uint8Array(3)), (byte) => byte.toString(16).padStart(2, '0'))
  return JSON.parse(JSON.stringify(document).replaceAll(name, `${name}.${suffix.join('')}`))
}

function oneServer() {
  return {
    statePlugins: {
      spec: {
        wrapActions: {
          // The document has the public address. Whoever came by another way wants their requests to take it too.
          updateJsonSpec: (original) => (document) => original({ ...withFreshName(document), servers: [{ url: api }] }),
        },
      },
    },
    wrapComponents: { ServersContainer: hidden },
  }
}

// There is only one server to choose, and the select has no name for screen readers.
function hidden() {
  return () => null
}

function longAnswers(system) {
  const { createElement } = system.React
  return {
    wrapComponents: {
      SyntaxHighlighter:
        (Original, { getComponent }) =>
        (props) => {
          const isLong = typeof props.children === 'string' && props.children.length > colouredCharacters
          if (!isLong) return createElement(Original, props)
          return createElement(getComponent('PlainTextViewer'), { className: props.className }, props.children)
        },
      responseBody: (Original) => (props) => {
        const isCut = typeof props.content === 'string' && props.content.endsWith(cutNote)
        // Swagger UI reads every type with "json" in it as one JSON value, which lines of JSON and cut JSON are not.
        const isText = isCut || /ndjson/.test(props.contentType)
        return createElement(Original, isText ? { ...props, contentType: 'text' } : props)
      },
    },
  }
}

/** `fetch`, but of a long body only the beginning: what follows is not even received. */
async function fetchBeginning(url, options) {
  const response = await fetch(url, options)
  if (!response.body) return response
  const reader = response.body.getReader()
  const chunks = []
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    chunks.push(value)
    bytes += value.length
    if (bytes <= shownBytes) continue
    await reader.cancel()
    const kept = await new Blob(chunks).slice(0, shownBytes).text()
    chunks.splice(0, chunks.length, kept.slice(0, kept.lastIndexOf('\n') + 1 || undefined), cutNote)
    break
  }
  const { status, statusText, headers } = response
  return new Response(chunks.length > 0 ? new Blob(chunks) : null, { status, statusText, headers })
}

/** The session cookie of a browser that is signed in would be a second credential beside a key, and two are refused. */
function credentialsBeside(headers) {
  const hasKey = Object.keys(headers).some((name) => /^(x-api-key|authorization)$/i.test(name))
  return hasKey ? 'omit' : 'same-origin'
}

/** Fills the ids of what was created here last into the paths that need them: `user_id`, `key_id`. */
function fillInIds(system, created) {
  for (const [path, item] of system.specSelectors.paths().entries()) {
    for (const [method, operation] of item.entries()) {
      for (const parameter of operation.get('parameters') ?? []) {
        const id = parameter.get('in') === 'path' ? created[parameter.get('name')] : undefined
        if (typeof id === 'string') system.specActions.changeParamByIdentity([path, method], parameter, id)
      }
    }
  }
}

// Swagger UI names the selects among the parameters, and the body, for the eye only.
new MutationObserver(() => {
  for (const select of container.querySelectorAll('[data-param-name] select:not([aria-label])')) {
    select.setAttribute('aria-label', select.closest('[data-param-name]').dataset.paramName)
  }
  for (const body of container.querySelectorAll('textarea.body-param__text:not([aria-label])')) {
    body.setAttribute('aria-label', 'Request body')
  }
}).observe(container, { childList: true, subtree: true })

const ui = SwaggerUIBundle({
  url: openapi.href,
  domNode: container,
  layout: 'BaseLayout',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  // A key in localStorage would outlive the visit.
  persistAuthorization: false,
  validatorUrl: null,
  plugins: [deepLinks, oneServer, longAnswers],
  requestInterceptor(request) {
    if (request.loadSpec) return request
    return Object.assign(request, { userFetch: fetchBeginning, credentials: credentialsBeside(request.headers) })
  },
  responseInterceptor(response) {
    if (response.status === 201 && response.body) fillInIds(ui.getSystem(), response.body)
    return response
  },
})
