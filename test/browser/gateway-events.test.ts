import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { launchBrowser } from '../browser.ts'
import { startProduct } from '../proxies/product.ts'
import { newPage, startWithAda, submitSignIn } from './login-driver.ts'
import { until } from './until.ts'

const browser = await launchBrowser()

describe('an EventSource of the product in Chromium', {
  skip: browser === undefined && 'there is no Chromium',
}, () => {
  if (browser === undefined) return
  after(() => browser.close())

  it('opens before the first event, receives events as they come, and resumes after a break', async (t) => {
    const continuedAfter: unknown[] = []
    let sendEvent: (text: string) => void = () => {}
    const { origin: upstream } = await startProduct(t, {
      '/': (_request, response) =>
        void response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Orders</title>'),
      '/events': (request, response) => {
        continuedAfter.push(request.headers['last-event-id'])
        response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }).flushHeaders()
        sendEvent = (text) => response[text === 'end' ? 'end' : 'write'](text === 'end' ? '' : text)
      },
    })
    const { api } = await startWithAda(t, { ROLLBOOK_UPSTREAM: upstream })
    // Chromium reports the stream that ends with the session as an error.
    const page = await newPage(t, browser, { allowed: /\/events|ERR_INCOMPLETE_CHUNKED_ENCODING/ })
    await page.goto(`${new URL(api).origin}/`)
    await submitSignIn(page)
    assert.equal(await page.title(), 'Orders')
    await page.evaluate(`
      window.seen = []
      window.source = new EventSource('/events')
      source.onopen = () => seen.push('open')
      source.onmessage = ({ data }) => seen.push(data)`)
    await until(page, `seen.join() === 'open'`)
    sendEvent('retry: 20\nid: 7\ndata: first\n\n')
    await until(page, `seen.join() === 'open,first'`)
    sendEvent('id: 8\ndata: second\n\n')
    await until(page, `seen.join() === 'open,first,second'`)
    sendEvent('end')
    await until(page, `seen.join() === 'open,first,second,open'`)
    assert.deepEqual(continuedAfter, [undefined, '8'])
    // The stream ends with the session, and the browser gets no other.
    const endedAt = await page.evaluate<number>(
      `fetch('/auth/sessions/current', { method: 'DELETE' }).then(({ status }) => status)`,
    )
    assert.equal(endedAt, 200)
    await until(page, 'source.readyState === EventSource.CLOSED')
  })
})
