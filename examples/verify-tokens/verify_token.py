"""Verifies Rollbook's access tokens with PyJWT and cryptography, without a request for each token."""

import jwt


class Verifier:
    def __init__(self, issuer: str, audience: str):
        self.issuer, self.audience = issuer, audience
        self.keys = jwt.PyJWKClient(f"{issuer}/.well-known/jwks.json", lifespan=300)

    def verify(self, token: str) -> dict:
        """Returns the claims. Raises jwt.PyJWTError if the token is not valid."""
        header = jwt.get_unverified_header(token)
        if header.get("typ") != "at+jwt" or "crit" in header:
            raise jwt.InvalidTokenError("This is not an access token.")
        return jwt.decode(
            token,
            self.keys.get_signing_key(header.get("kid")).key,
            algorithms=["EdDSA"],  # never the algorithm that the token names
            issuer=self.issuer,
            audience=self.audience,
            options={"require": ["exp", "iat", "iss", "aud", "sub", "jti"]},
        )
