/** Lints the OpenAPI document as the running product would serve it. Any finding, a warning too, is a failure. */
import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core'
import spectralRulesets from '@stoplight/spectral-rulesets'
import { openApiDocument } from './openapi-document.ts'

type Finding = { rule: string; place: string; message: string }

async function spectral(text: string): Promise<Finding[]> {
  const linter = new spectralCore.Spectral()
  // Operations carry no tag on purpose: the promised links (`docs#/default/…`) are what Swagger UI makes of that. The
  // rule does not take an empty array for an answer either.
  const oas = spectralRulesets.oas as RulesetDefinition // Its own types do not fit those of the package beside it.
  linter.setRuleset({ extends: [oas], rules: { 'operation-tags': 'off' } })
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

const { text } = await openApiDocument()
const findings = [...(await spectral(text)), ...(await redocly(text))]
for (const { rule, place, message } of findings) console.error(`${rule}\n  at ${place}\n  ${message}`)
if (findings.length > 0) process.exitCode = 1
else console.log('openapi.json: no findings from Spectral (spectral:oas) and Redocly (recommended)')
