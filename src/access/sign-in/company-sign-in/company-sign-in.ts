/**
 * A sign-in through a connection, whatever its protocol: sends the browser to the provider (redirects.ts), or checks a password
 * with a directory (directory-password.ts).
 */
import type { When } from '../sign-in/service.ts'
import { askForNobody, type Confirmed, type Confirming, confirm, type Entering, enter } from './directory-password.ts'
import type { Entered } from './judge.ts'
import { finishReturn, type Returning, type Started, type Starting, startSignIn } from './redirects.ts'
import type { CompanyParts } from './run-protocol.ts'

export type CompanySignIn = {
  /** Where to send the browser. @throws SignInRefused, TestFinished */
  start(starting: Starting, when: When): Promise<Started>
  /** @throws SignInRefused, TestFinished, FinishedBefore */
  finish(returning: Returning, when: When): Promise<Entered>
  /** Checks a password with the connection. The caller counts attempts. @throws SignInRefused, TestFinished */
  enter(entering: Entering, when: When): Promise<Entered>
  /** Asks as `enter` does about an unknown name, and takes as long. @throws SignInRefused if the directory fails */
  askForNobody(entering: Pick<Entering, 'connection_id' | 'returnTo' | 'visit'>, when: When): Promise<void>
  /** Checks a password of the user who is signed in, without a new session. The caller counts attempts. @throws SignInRefused */
  confirm(confirming: Confirming, when: When): Promise<Confirmed>
}

export function createCompanySignIn(parts: CompanyParts): CompanySignIn {
  return {
    start: (starting, when) => startSignIn(parts, starting, when),
    finish: (returning, when) => finishReturn(parts, returning, when),
    enter: (entering, when) => enter(parts, entering, when),
    askForNobody: (entering, when) => askForNobody(parts, entering, when),
    confirm: (confirming, when) => confirm(parts, confirming, when),
  }
}
