"""An identity provider by pysaml2: reads one question as JSON from standard input, and prints its metadata and its response."""
import json
import sys
from urllib.parse import parse_qs, urlsplit

from saml2 import BINDING_HTTP_REDIRECT, sigver
from saml2.config import IdPConfig
from saml2.metadata import entity_descriptor
from saml2.saml import NAMEID_FORMAT_PERSISTENT, NameID
from saml2.server import Server

asked = json.load(sys.stdin)
config = IdPConfig().load({
    "entityid": asked["entity_id"],
    "xmlsec_binary": asked["xmlsec"],
    "key_file": asked["key_file"],
    "cert_file": asked["cert_file"],
    "metadata": {"inline": [asked["sp_metadata"]]},
    "service": {"idp": {
        "endpoints": {"single_sign_on_service": [(asked["sso_url"], BINDING_HTTP_REDIRECT)]},
        "policy": {"default": {"lifetime": {"minutes": 5}, "name_form": "urn:oasis:names:tc:SAML:2.0:attrname-format:uri"}},
    }},
})
server = Server(config=config)
query = {name: values[0] for name, values in parse_qs(urlsplit(asked["request_url"]).query).items()}
request = server.parse_authn_request(query["SAMLRequest"], BINDING_HTTP_REDIRECT)
sp_entity_id = request.message.issuer.text
[certificate] = server.metadata.certs(sp_entity_id, "spsso", "signing")
is_signature_valid = "Signature" in query and sigver.verify_redirect_signature(query, server.sec.sec_backend, certificate[1] if isinstance(certificate, tuple) else certificate)
if asked["cipher"]:
    # By default it encrypts with Triple DES.
    sigver.pre_encryption_part.__kwdefaults__["msg_enc"] = asked["cipher"]
    sigver.SecurityContext.encrypt_assertion.__defaults__ = ("aes-256", None)
arguments = server.response_args(request.message)
response = server.create_authn_response(
    asked["attributes"],
    in_response_to=request.message.id,
    destination=arguments["destination"],
    sp_entity_id=arguments["sp_entity_id"],
    name_id=NameID(format=NAMEID_FORMAT_PERSISTENT, text=asked["name_id"]),
    authn={"class_ref": asked["class_ref"], "authn_auth": asked["entity_id"]},
    sign_response=asked["sign_response"],
    sign_assertion=asked["sign_assertion"],
    encrypt_assertion=asked["encrypt"],
    encrypt_assertion_self_contained=True,
    sign_alg="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
    digest_alg="http://www.w3.org/2001/04/xmlenc#sha256",
)
json.dump({
    "metadata": str(entity_descriptor(config)),
    "is_signature_valid": is_signature_valid,
    "force_authn": request.message.force_authn,
    "relay_state": query["RelayState"],
    "response": str(response),
}, sys.stdout)
