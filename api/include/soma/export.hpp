// The macro that makes a symbol of the library visible to its users; everything else is hidden.
#pragma once

/// Makes a class or function visible to the library's users.
#define SOMA_API __attribute__((visibility("default")))
