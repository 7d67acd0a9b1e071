/** Validates what a caller sends about an endpoint. */
import type { Config } from '../../core/config.ts'
import { type InputFault, memberFault, validationFailed } from '../../core/errors.ts'
import { refuseUrl } from '../../http/outgoing/guard.ts'
import { hasUnseen, unseenRefused } from '../../lib/unseen.ts'
import type { UpdateEndpoint } from './schema.ts'

/** @throws AppError `validation_failed` */
export function checkEndpointInput<Input extends UpdateEndpoint>(input: Input, config: Config): Input {
  const { url, description } = input
  const faults = [...urlFaults(url, config), ...descriptionFaults(description)]
  if (faults.length > 0) throw validationFailed(faults)
  // Store the parsed form, which is what was checked: another parser could see another host in the text.
  return url === undefined ? input : { ...input, url: new URL(url).href }
}

function urlFaults(url: string | undefined, config: Config): InputFault[] {
  const fault = url === undefined ? undefined : refuseUrl(url, config)
  return fault === undefined ? [] : [memberFault('url', fault.code, fault.detail)]
}

function descriptionFaults(description = ''): InputFault[] {
  if (!hasUnseen(description)) return []
  return [memberFault('description', 'control_character', unseenRefused)]
}
