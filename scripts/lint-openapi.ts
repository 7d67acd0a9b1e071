/** Lints the OpenAPI document as the running product would serve it. Any finding, a warning too, is a failure. */
import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core'
import spectralRulesets from '@stoplight/spectral-rulesets'
import { openApiDocument } from './openapi-document.ts'

type Finding = { rule: string; place: string; message: string }

async function spectral(text: string, rules: Record<string, 'off'> = {}): Promise<Finding[]> {
  const linter = new spectralCore.Spectral()
  const oas = spectralRulesets.oas as RulesetDefinition // Its own types do not fit those of the package beside it.
  linter.setRuleset({ extends: [oas], rules })
  const results = await linter.run(text)
  return results.map(({ code, path, message }) => ({ rule: `spectral ${code}`, place: path.join('.'), message }))
}

async function redocly(text: string): Promise<Finding[]> {
  const config = await createConfig({ extends: ['recommended'] })
  const results = await lintFromString({ source: text, absoluteRef: 'openapi.json', config })
  return results.map(({ ruleId, location, message }) => ({
    rule: `redocly ${ruleId}`,
    place: location.map(({ pointer }) => pointer).join(' '),
    message,
  }))
}

const { text, sdkText } = await openApiDocument()
// Its operations carry no tag on purpose: the promised links (`docs#/default/…`) name the group of untagged operations. The
// rule does not accept an empty array either.
const untagged = { 'operation-tags': 'off' } as const
const findings = [
  ...(await spectral(text, untagged)),
  ...(await redocly(text)),
  ...(await spectral(sdkText)),
  ...(await redocly(sdkText)),
]
for (const { rule, place, message } of findings) console.error(`${rule}\n  at ${place}\n  ${message}`)
if (findings.length > 0) process.exitCode = 1
else
  console.log('openapi.json and openapi.sdk.json: no findings from Spectral (spectral:oas) and Redocly (recommended)')
