import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { deflateSync } from 'node:zlib'
import { chunk, png } from '../../../../test/png.ts'
import { cleanLogo, toDataUrl } from './images/logo.ts'
import { cleanSvg } from './images/svg.ts'

const svgUrl = (text: string) => `data:image/svg+xml;base64,${Buffer.from(text).toString('base64')}`
const pngUrl = (bytes: Buffer) => `data:image/png;base64,${bytes.toString('base64')}`
const drawing = (inside: string, attributes = '') =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 8 8"${attributes}>${inside}</svg>`
const square = '<path d="M0 0h8v8z"/>'

/** Each level draws the one below ten times. */
const bomb = Array.from({ length: 7 }, (_, n) => {
  const inside = n === 0 ? '<rect width="1" height="1"/>' : `<use href="#l${n - 1}"/>`.repeat(10)
  return `<g id="l${n}">${inside}</g>`
}).join('')

/** Nothing of it is stored: it is refused. */
const refused: Record<string, [url: string, code: string]> = {
  'a bomb of nested uses': [svgUrl(drawing(bomb)), 'logo_too_costly'],
  'a bomb of nested clips': [
    svgUrl(
      drawing(`${bomb}<clipPath id="c"><use href="#l6"/></clipPath><rect clip-path="url(#c)" width="1" height="1"/>`),
    ),
    'logo_too_costly',
  ],
  'a use of what it stands in': [svgUrl(drawing('<g id="a"><use href="#a"/></g>')), 'logo_malformed'],
  'gradients that refer to each other': [
    svgUrl(drawing(`<linearGradient id="a" href="#b"/><linearGradient id="b" href="#a"/>${square}`)),
    'logo_malformed',
  ],
  'a billion laughs': [
    svgUrl(`<!DOCTYPE svg [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>${drawing(`<path d="&b;"/>`)}`),
    'logo_malformed',
  ],
  'an external entity': [
    svgUrl(`<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>${drawing('<path d="&x;"/>')}`),
    'logo_malformed',
  ],
  'a DOCTYPE of elsewhere': [
    svgUrl(`<!DOCTYPE svg SYSTEM "https://evil.example/x.dtd">${drawing(square)}`),
    'logo_malformed',
  ],
  'an entity that nothing defines': [svgUrl(drawing(`<path fill="&evil;" d="M0 0h8v8z"/>`)), 'logo_malformed'],
  'elements nested a thousand deep': [
    svgUrl(drawing(`${'<g>'.repeat(1000)}${square}${'</g>'.repeat(1000)}`)),
    'logo_too_costly',
  ],
  'ten thousand elements': [svgUrl(drawing('<g/>'.repeat(10_000))), 'logo_too_costly'],
  'an SVG of 70 KiB': [svgUrl(drawing(`<path d="${'M0 0h8'.repeat(12_000)}"/>`)), 'logo_too_large'],
  'a script and nothing to see': [svgUrl(drawing('<script>alert(1)</script>')), 'logo_empty'],
  'a text and nothing else': [svgUrl(drawing('<text>Acme</text>')), 'logo_empty'],
  HTML: [svgUrl('<!doctype html><html><body onload="alert(1)"></body></html>'), 'logo_malformed'],
  'HTML with an SVG in it': [svgUrl(`<html>${drawing(square)}</html>`), 'logo_malformed'],
  'HTML after the SVG': [svgUrl(`${drawing(square)}<script>alert(1)</script>`), 'logo_malformed'],
  'a text before the SVG, as of a GIF': [svgUrl(`GIF89a=1;${drawing(square)}`), 'logo_malformed'],
  'two of the same attribute': [svgUrl(drawing('<path d="M0 0h8v8z" d="M0 0"/>')), 'logo_malformed'],
  'two of the same id': [svgUrl(drawing('<path id="a" d="M0 0h8v8z"/><g id="a"/>')), 'logo_malformed'],
  'a tag that is never closed': [svgUrl(`<svg viewBox="0 0 8 8"><g>${square}</svg>`), 'logo_malformed'],
  'an attribute without quotes': [svgUrl(drawing('<path d=M0 onload=alert(1)/>')), 'logo_malformed'],
  'UTF-16': [
    `data:image/svg+xml;base64,${Buffer.from(`\ufeff${drawing(square)}`, 'utf16le').toString('base64')}`,
    'logo_malformed',
  ],
  'a compressed SVG': [
    `data:image/svg+xml;base64,${deflateSync(Buffer.from(drawing(square))).toString('base64')}`,
    'logo_malformed',
  ],
  'a line of a million units': [svgUrl('<svg viewBox="0 0 1000000 1"><path d="M0 0h8v8z"/></svg>'), 'logo_forbidden'],
  'an SVG without a size': [svgUrl(`<svg>${square}</svg>`), 'logo_malformed'],
  'a PNG that is called an SVG': [svgUrl('').replace(/,.*/, `,${png().toString('base64')}`), 'logo_type'],
  'an SVG that is called a PNG': [pngUrl(Buffer.from(drawing(square))), 'logo_malformed'],
  'an HTML page': ['data:text/html,<script>alert(1)</script>', 'logo_type'],
  'an address': ['https://evil.example/logo.svg', 'logo_type'],
  'a PNG of 10,000 pixels': [
    pngUrl(png({ width: 10_000, height: 10_000, pixels: deflateSync(Buffer.alloc(9)) })),
    'logo_too_large',
  ],
  'a PNG that says it is small and is large': [
    pngUrl(png({ pixels: deflateSync(Buffer.alloc(4 * 1024 * 1024)) })),
    'logo_malformed',
  ],
  'a PNG with fewer pixels than it says': [
    pngUrl(png({ width: 900, height: 900, pixels: deflateSync(Buffer.alloc(68)) })),
    'logo_malformed',
  ],
  'a PNG with a wrong checksum': [
    pngUrl(Buffer.from(png().map((byte, at) => (at === 20 ? byte ^ 1 : byte)))),
    'logo_malformed',
  ],
  'a PNG whose chunk is longer than the file': [
    pngUrl(Buffer.from(png().map((byte, at) => (at === 33 ? 0x7f : byte)))),
    'logo_malformed',
  ],
  'an animated PNG': [pngUrl(png({ more: [chunk('acTL', Buffer.alloc(8))] })), 'logo_forbidden'],
  'a PNG with a page after it': [pngUrl(png({ after: Buffer.from('<script>alert(1)</script>') })), 'logo_malformed'],
  'a PNG with data after its pixels': [
    pngUrl(png({ pixels: Buffer.concat([deflateSync(Buffer.alloc(68)), Buffer.from('<?php evil() ?>')]) })),
    'logo_malformed',
  ],
  'a PNG with a chunk that must be understood': [
    pngUrl(png({ more: [chunk('EVIL', Buffer.alloc(4))] })),
    'logo_malformed',
  ],
  'a PNG without a palette that it needs': [
    pngUrl(png({ type: 3, pixels: deflateSync(Buffer.alloc(20)) })),
    'logo_malformed',
  ],
  'a PNG with lines of an unknown filter': [
    pngUrl(png({ pixels: deflateSync(Buffer.alloc(68, 9)) })),
    'logo_malformed',
  ],
  'a PNG with a depth that does not exist': [pngUrl(png({ depth: 7 })), 'logo_malformed'],
  'a PNG that is cut off': [pngUrl(png().subarray(0, 60)), 'logo_malformed'],
  'base64 with something else in it': ['data:image/png;base64,iVBORw0K<script>', 'logo_malformed'],
}

/** What is left out of it, and stays away. */
const cleaned: Record<string, [inside: string, forbidden: RegExp]> = {
  'a script': ['<script>alert(1)</script>', /script|alert/],
  'a script with a prefix': [
    '<svg:script xmlns:svg="http://www.w3.org/2000/svg">alert(1)</svg:script>',
    /script|alert/,
  ],
  'a script in capitals': ['<SCRIPT>alert(1)</SCRIPT>', /script|alert/i],
  'handlers of events': ['<rect width="1" height="1" onload="alert(1)" onclick="alert(2)"/>', /onload|onclick|alert/],
  'a link': ['<a href="javascript:alert(1)"><rect width="1" height="1"/></a>', /javascript|<a/],
  'HTML in it': [
    '<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><iframe src="//evil.example"/></body></foreignObject>',
    /iframe|foreign/,
  ],
  'a picture of elsewhere': ['<image href="https://evil.example/x.png" width="8" height="8"/>', /evil|image/],
  'a use of elsewhere': ['<use href="https://evil.example/x.svg#a"/>', /evil|<use/],
  'a use of a data URL': ['<use xlink:href="data:image/svg+xml;base64,PHN2Zz4="/>', /data:|<use/],
  'a fill of elsewhere': ['<rect width="1" height="1" fill="url(https://evil.example/#a)"/>', /evil|url/],
  'a style sheet that loads': [
    '<style>@import "https://evil.example/x.css"; .a{fill:url(https://evil.example)}</style>',
    /evil|style/,
  ],
  'a style that loads': [
    '<rect width="1" height="1" style="fill:red;background:url(//evil.example)"/>',
    /evil|style|background/,
  ],
  'an animation': [
    '<rect width="1" height="1"><animate attributeName="href" to="javascript:alert(1)"/><set attributeName="onload" to="x"/></rect>',
    /animate|set|javascript/,
  ],
  'a text': ['<text font-size="3">Your password, please</text>', /text|password/],
  'a title': ['<title>Acme</title><desc>evil</desc><metadata><rdf/></metadata>', /title|desc|metadata|evil/],
  'comments and instructions': ['<!-- evil --><?evil href="x"?><![CDATA[evil]]>', /evil|--|\?/],
  'a filter that is slow': [
    '<filter id="f"><feTurbulence numOctaves="99999"/></filter><rect width="1" height="1" filter="url(#f)"/>',
    /filter|feTurb/,
  ],
  'a pattern': [
    '<pattern id="p" width=".0001" height=".0001"><rect/></pattern><rect width="1" height="1" fill="url(#p)"/>',
    /pattern|url/,
  ],
  'dashes without end': ['<path d="M0 0h8" stroke="red" stroke-dasharray=".000001"/>', /dash/],
  'an entity for a colon': [
    '<a xlink:href="java&#115;cript&#58;alert(1)"><rect/></a><rect width="1" height="1" fill="java&#115;cript:x"/>',
    /script/,
  ],
}

describe('logos', () => {
  for (const [what, [url, code]] of Object.entries(refused)) {
    it(`refuse ${what}`, () => assert.rejects(cleanLogo(url), { name: 'LogoFault', code }))
  }

  for (const [what, [inside, forbidden]] of Object.entries(cleaned)) {
    it(`leave out ${what}`, async () => {
      const logo = await cleanLogo(svgUrl(drawing(`${inside}${square}`)))
      const text = logo.content.toString()
      assert.doesNotMatch(text.replace('xmlns="http://www.w3.org/2000/svg"', ''), forbidden)
      assert.ok(text.includes(square), text)
      assert.deepEqual({ ...(await cleanLogo(toDataUrl(logo))), leftOut: [] }, { ...logo, leftOut: [] })
    })
  }

  it('say what was left out and may have been seen', () => {
    const { leftOut } = cleanSvg(
      drawing(`<title>x</title><text>a</text><rect onload="x" width="1" height="1"/>${square}`),
    )
    assert.deepEqual(leftOut, ['onload', 'text'])
  })

  it('keep what programs for drawing write', () => {
    const source = `<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg width="40mm" height="20mm" class="x"><defs><style>.cls-1{fill:#abc;} .cls-2, .cls-1{opacity:.5}</style>
<linearGradient id="g"><stop offset="0" style="stop-color:#fff;stop-opacity:1"/></linearGradient><clipPath id="c"><rect width="9" height="9"/></clipPath></defs>
<g clip-path="url(#c)" transform="translate(1,2) scale(.5)"><path class="cls-1" d="M0,0 L8,8z"/><circle r="2" fill="url(#g)"/></g></svg>`
    const { text, width, height, leftOut } = cleanSvg(source)
    assert.deepEqual([leftOut, Math.round(width), Math.round(height)], [[], 151, 76])
    assert.match(text, /<path d="M0,0 L8,8z" fill="#abc" opacity="\.5"\/>/)
    assert.match(text, /<stop offset="0" stop-color="#fff" stop-opacity="1"\/>/)
    assert.match(text, /<g clip-path="url\(#c\)" transform="translate\(1,2\) scale\(\.5\)">/)
    assert.match(text, /<circle r="2" fill="url\(#g\)"\/>/)
  })

  it('are read from every form of a data URL', async () => {
    for (const url of [
      svgUrl(drawing(square)),
      `data:image/svg+xml,${encodeURIComponent(drawing(square))}`,
      `data:image/svg+xml;utf8,${drawing(square)}`,
      `data:image/svg+xml;charset=utf-8;base64,${Buffer.from(drawing(square)).toString('base64')}`,
    ]) {
      assert.ok((await cleanLogo(url)).content.includes(square), url.slice(0, 40))
    }
  })

  it('keep the pixels of a PNG and nothing else', async () => {
    const noisy = png({ more: [chunk('tEXt', Buffer.from('Comment\0<script>'))], interlace: 0 })
    const logo = await cleanLogo(pngUrl(noisy))
    assert.deepEqual(logo.content, png())
    assert.deepEqual([logo.type, logo.width, logo.height], ['image/png', 4, 4])
    // Adam7 of four by four: passes of 1, 1, 2, 4 and 8 pixels, with a filter for each of their eight lines.
    const interlaced = png({ interlace: 1, pixels: deflateSync(Buffer.alloc(7 + 16 * 4)) })
    assert.deepEqual((await cleanLogo(pngUrl(interlaced))).content, interlaced)
  })
})
