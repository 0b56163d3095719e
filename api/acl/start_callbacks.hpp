// Functions of the program that are called when the library starts and ends.
#pragma once

#include <string>

namespace soma::acl {

/// Whether the library runs, and then the configuration that it was started with. (It is in init.cpp.)
bool runs_with(std::string& configuration);

/// Call the functions, with no lock held. Refuse with the code that one of them returns; the others are not
/// called.
void tell_start(const std::string& configuration);
void tell_end();

}  // namespace soma::acl
