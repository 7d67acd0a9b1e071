import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { html } from './html.ts'

describe('html', () => {
  it('escapes every text, in content and in attributes', () => {
    const text = `<script>alert('1')</script>" onfocus="x" &amp;`
    const { text: written } = html`<p title="${text}">${text}</p>`
    const escaped = '&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot; onfocus=&quot;x&quot; &amp;amp;'
    assert.equal(written, `<p title="${escaped}">${escaped}</p>`)
  })

  it('puts HTML into HTML as it is, and nothing for what is not there', () => {
    assert.equal(html`<p>${html`<b>${'&'}</b>`}${undefined}</p>`.text, '<p><b>&amp;</b></p>')
  })

  it('does not take a text for HTML because it looks like it', () => {
    const disguised = JSON.parse('{"text":"<b>"}')
    assert.throws(() => html`${disguised}`)
  })
})
